import { expect, it } from 'vitest';
import type { ModelRef } from '../../src/engine/engine.ts';
import { sharedPauses } from '../../src/runner/pauses.ts';
import { makeFolder } from '../helpers/repository.ts';

const MODEL: ModelRef = {
  provider: 'openrouter',
  model: 'm',
  api: 'openai-chat',
  baseUrl: 'https://openrouter.ai/api/v1',
  apiKey: 'sk-1',
  headers: {},
  prices: null,
  contextWindow: null,
  maxOutput: null,
};

it('what one job is asked for the other one keeps, a little spread, for that account alone', () => {
  const complaints: unknown[] = [];
  const log = { complain: (error: unknown) => void complaints.push(error) };
  const env = { CC_DELEGATE_HOME: makeFolder() };
  const [one, other] = [sharedPauses(log, env), sharedPauses(log, env)];
  expect(other.pauseBefore(MODEL)).toBe(0);
  one.pauseAsked(MODEL, 20_000);
  const pauses = Array.from({ length: 20 }, () => other.pauseBefore(MODEL));
  expect(Math.min(...pauses)).toBeGreaterThan(19_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(25_001);
  expect(new Set(pauses).size).toBeGreaterThan(5);
  expect(other.pauseBefore({ ...MODEL, apiKey: 'sk-2' })).toBe(0);
  expect(complaints).toEqual([]);
});
