import { describe, expect, it } from 'vitest';
import { renderStart } from '../../../src/cli/render/start.ts';
import { DEFAULT_LIMITS } from '../../../src/job/limits.ts';
import type { ModelResolution, ReadyModel } from '../../../src/provider/resolve-model.ts';
import { sampleRecord } from '../../store/fixtures/records.ts';
import { ready } from './ready-model.ts';

const at = '2026-11-28T10:00:00.000Z';
const prices = { input: 0.047, output: 1250.5 };
const tiers = [{ above: 512_000, input: 1, output: 2 }];

function text(primary: ReadyModel, fallbacks: readonly ReadyModel[] = [], budgetUsd = 2.5): string {
  const model: ModelResolution = {
    name: 'openrouter:x/y',
    modelSource: 'flag',
    profile: null,
    primary,
    fallbacks,
    grader: null,
    graderFallbacks: [],
    roles: {},
    small: null,
    engine: 'native',
    permissionMode: null,
    notices: [],
  };
  const record = { ...sampleRecord(), limits: { ...DEFAULT_LIMITS, budgetUsd } };
  return renderStart(record, { model, notSeen: { changed: [], untracked: [] } }, []);
}

describe('what a start says of money', () => {
  it.each<[string, ReadyModel, readonly ReadyModel[], string]>([
    ['the budget', ready(prices), [ready(prices)], '$2.50, and one call at most beyond it'],
    [
      'tokens where the price is unknown',
      ready(null),
      [],
      '5,000,000 tokens, and one call at most beyond it',
    ],
    [
      'tokens where nothing is paid',
      ready({ input: 0, output: 0 }, { source: 'free' }),
      [],
      '5,000,000 tokens, and one call at most beyond it',
    ],
    [
      'both where a fallback has no price',
      ready(prices),
      [ready(null)],
      '$2.50, and one call at most beyond it; 5,000,000 tokens with a fallback of unknown price',
    ],
  ])('is the worst case: %s', (_name, primary, fallbacks, most) => {
    const said = text(primary, fallbacks);
    expect(said.replaceAll(/\n {11}/g, ' ')).toContain(`\nat most    ${most}\n`);
    for (const line of said.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
  });

  it('is nothing at all for a budget of nothing', () => {
    expect(text(ready(prices), [], 0)).toContain('at most    $0.00: no call is made\n');
  });

  it('is the price with its source, whole, in 80 columns', () => {
    const said = text(ready({ ...prices, tiers }, { source: 'live', at }));
    expect(said.replaceAll(/\n {11}/g, ' ')).toContain(
      "\nprice      $0.047 in / $1250.50 out per M, more above 512k (openrouter's list of 2026-11-28)\n",
    );
    for (const line of said.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
  });
});
