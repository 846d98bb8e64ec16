import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJobId } from '../../src/job/ids.ts';
import { makeWorld } from '../helpers/world.ts';

const usage = { prompt: 262_960, output: 1_744, cacheRead: 257_955 };

/** A world whose profile is of a provider that lists know; the endpoint is on this machine all the same. */
async function pricedWorld(profile: { provider: string; model: string }) {
  const world = await makeWorld({ prices: null, script: [{ text: 'nothing to do', usage }] });
  const file = join(world.home, '.cc-delegate', 'config.yaml');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(config.profiles.test, profile);
  writeFileSync(file, JSON.stringify(config));
  return world;
}

describe('a job without prices of the user', () => {
  it.each([
    // 5,005 x 0.95 + 257,955 x 0.19 + 1,744 x 4 = 4,754.75 + 49,011.45 + 6,976
    ['moonshot', 'kimi-k2.7-code', 0.0607422, 'table', '$0.95 in / $4.00 out per M (genai-prices)', '$5.00'],
    ['ollama', 'qwen3:8b', 0, 'table', 'free, nobody charges at ollama', '5,000,000 tokens'],
  ])('costs with %s:%s $%d (%s)', async (provider, model, usd, basis, price, most) => {
    const world = await pricedWorld({ provider, model });
    const env = { MOONSHOT_API_KEY: 'sk-nobodys-0123456789abcdef' };
    const { stdout } = await world.run(['start', 'do the task'], { env });
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([`price      ${price}`, `at most    ${most}, and one call at most beyond it`]),
    );
    const id = /t_\w+/.exec(stdout)?.[0] ?? '';
    if (!isJobId(id)) throw new Error(stdout);
    const record = await world.ended(id);
    expect(record.usage).toEqual({ input: 5_005, output: 1_744, cacheRead: 257_955, cacheWrite: 0 });
    expect([record.costUsd, record.costBasis]).toEqual([expect.closeTo(usd, 10), basis]);
  });
});
