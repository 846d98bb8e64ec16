import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verb } from '../../src/cli/spend.ts';
import { localDay, type SpendRecord } from '../../src/job/spend-record.ts';
import { appendSpend, spendPath } from '../../src/store/spend-file.ts';
import { makeFolder } from '../helpers/repository.ts';
import { spendRecord } from '../store/fixtures/spend.ts';
import { contextOf } from './context.ts';

const MILLION = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
const CHEAP = { provider: 'openrouter', model: 'deepseek/deepseek-v4-flash-0731' };

function home(...calls: readonly Partial<SpendRecord>[]): string {
  const userDir = makeFolder();
  for (const call of calls) appendSpend(userDir, spendRecord(call));
  return userDir;
}

async function spend(userDir: string, ...args: readonly string[]) {
  const output = await verb.run(contextOf({ cwd: userDir, userDir, args }));
  const lines = output.text.split('\n');
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
  return { json: Object(output.json), text: output.text, lines };
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 24 * 3600 * 1000).toISOString();

describe('spend', () => {
  it('says that nothing was spent, from where', async () => {
    const { text, json } = await spend(home());
    expect(text).toContain('nothing was spent');
    expect(json).toMatchObject({ totalUsd: 0, calls: 0, byModel: [] });
  });

  it('tells what was spent by model, day and repository, and what was saved on which assumption', async () => {
    const { text, json } = await spend(
      home(
        { ...CHEAP, usd: 1.25, usage: MILLION, at: '2026-11-27T10:00:00.000Z' },
        { ...CHEAP, usd: 0.75, usage: MILLION, repo: '/home/user/other' },
        { model: 'local', usd: 0, usage: MILLION },
      ),
    );
    expect(json).toMatchObject({
      totalUsd: 2,
      calls: 3,
      tokens: 3_000_000,
      unpricedCalls: 0,
      byModel: [
        { model: 'openrouter:deepseek/deepseek-v4-flash-0731', usd: 2, calls: 2 },
        { model: 'test:local', usd: 0 },
      ],
      byDay: [{ usd: 0.75 }, { usd: 1.25 }],
      byRepository: [{ repo: '/home/user/project', usd: 1.25 }, { repo: '/home/user/other' }],
      skippedLines: 0,
    });
    const { savings } = json;
    expect(savings).toMatchObject({
      supervisorModel: 'anthropic:claude-opus-5-5',
      isDefault: true,
      calls: 3,
    });
    expect(savings.wouldHaveCostUsd).toBeCloseTo(3 * savings.prices.input);
    expect(savings.savedUsd).toBeCloseTo(3 * savings.prices.input - 2);
    expect(text).toMatch(/^\$2\.00 in 3 calls, 3\.0M tokens$/m);
    expect(text).toMatch(/^openrouter:deepseek\/deepseek-v4-flash-0731 +2 +2\.0M +\$2\.00$/m);
    expect(text).toMatch(/^assumed +the same tokens at its price, cache as billed/m);
  });

  it('never shows an unknown price as nothing, nor a subscription as free', async () => {
    const { text, json, lines } = await spend(
      home(
        { model: 'unknown', usd: null, basis: 'unknown', prices: null },
        { model: 'mixed', usd: null, basis: 'unknown', prices: null },
        { model: 'mixed', usd: 1 },
        { model: 'plan', usd: 0, basis: 'subscription' },
        { model: 'free', usd: 0, basis: 'user', prices: { input: 0, output: 0 } },
      ),
    );
    const line = (name: string) => lines.find((each) => each.startsWith(`test:${name} `)) ?? '';
    expect(line('unknown')).toMatch(/unknown$/);
    expect(line('mixed')).toMatch(/\$1\.00\+$/);
    expect(line('plan')).toMatch(/included$/);
    expect(line('free')).toMatch(/\$0\.00$/);
    expect(text).toContain('2 of unknown price');
    expect(json).toMatchObject({ totalUsd: 1, unpricedCalls: 2, subscription: { calls: 1 } });
    const plan = await spend(home({ model: 'plan', usd: 0, basis: 'subscription' }));
    expect(plan.json).toMatchObject({ totalUsd: 0, byModel: [{ usd: 0 }], unpricedCalls: 0 });
    expect(plan.text).toMatch(/^nothing billed in 1 call, /);
    const alone = await spend(home({ usd: null, basis: 'unknown' }));
    expect(alone.json.totalUsd).toBeNull();
    expect(alone.text).toContain('price unknown in 1 call');
  });

  it('tells of what is young with --since, a time or a day, and refuses what is neither', async () => {
    const userDir = home({ usd: 1, at: daysAgo(40) }, { usd: 2, at: daysAgo(3) }, { usd: 4, at: daysAgo(0) });
    expect((await spend(userDir)).json.totalUsd).toBe(7);
    expect((await spend(userDir, '--since', '2d')).json.totalUsd).toBe(4);
    expect((await spend(userDir, '--since', '1000h')).json.totalUsd).toBe(7);
    expect(
      (await spend(userDir, '--since', localDay(new Date(Date.now() - 4 * 86_400_000)))).json,
    ).toMatchObject({
      totalUsd: 6,
    });
    for (const wrong of [
      '7',
      'yesterday',
      '2020-1-1',
      '',
      '99999999999d',
      '30000d',
      '2026-02-31',
      '0050-01-01',
    ])
      await expect(spend(userDir, '--since', wrong)).rejects.toThrow('--since takes');
  });

  it('compares with the model the user names, and says where none of the lists has its price', async () => {
    const userDir = home({ usd: 1, usage: MILLION });
    writeFileSync(join(userDir, 'config.yaml'), 'supervisorModel: anthropic:claude-sonnet-5.5\n');
    const { json } = await spend(userDir);
    expect(json.savings).toMatchObject({ supervisorModel: 'anthropic:claude-sonnet-5.5', isDefault: false });
    writeFileSync(join(userDir, 'config.yaml'), 'supervisorModel: nobody:knows-this\n');
    const unknown = await spend(userDir);
    expect(unknown.json.savings).toBeNull();
    expect(unknown.text).toMatch(/^saved +unknown: no price of nobody:knows-this/m);
    // A dearer worker has saved nothing.
    const dear = await spend(home({ usd: 100, usage: MILLION }));
    expect(dear.text).toMatch(/^saved +nothing: \$\d+\.\d\d more than/m);
  });

  it('reads well with long names and a long past, and names what it could not read', async () => {
    const calls = Array.from({ length: 30 }, (_, n) => ({
      model: `${'long/'.repeat(n)}model`,
      repo: `/home/user/${'deep/'.repeat(n)}repository`,
      at: daysAgo(n),
      usd: n,
    }));
    const userDir = home(...calls, { model: 'a\u001b[31mb', repo: '/x\ny' });
    appendFileSync(spendPath(userDir), 'garbage\n');
    const { text, json } = await spend(userDir);
    expect(text).toMatch(/^\+\d+ models$/m);
    expect(text).toMatch(/^\+\d+ days before$/m);
    expect(text).toMatch(/^\+\d+ repositories$/m);
    // Where it is folded depends on how long the path before it is.
    expect(text.replace(/\s+/g, ' ')).toContain('(1 broken line left out)');
    expect(text).not.toContain('\u001b');
    expect(json.byModel).toHaveLength(31);
  });
});
