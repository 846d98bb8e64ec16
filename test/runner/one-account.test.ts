import { describe, expect, it } from 'vitest';
import type { ModelRef, Role, RunOutcome } from '../../src/engine/engine.ts';
import { createNativeEngine } from '../../src/engine/native/engine.ts';
import type { Script } from '../../src/engine/scripted/server.ts';
import type { SpendRecord } from '../../src/job/spend-record.ts';
import { scanSpend } from '../../src/store/spend-file.ts';
import { fastClock, finish, modelRef, scripted } from '../engine/harness.ts';
import { makeFolder } from '../helpers/repository.ts';
import { openPurse, type PurseWanted } from './fixtures/purse.ts';

/** For ever, and never the same: nothing but a limit ends it. */
const FOR_EVER: Script = ({ index }) => ({ calls: [{ name: 'read', args: { path: `${index}` } }] });

const PRICES = { input: 1, output: 10 };

/** The engine, an endpoint and a job's money, all as a runner puts them together. */
async function team(script: Script, wanted: PurseWanted & { readonly prices?: ModelRef['prices'] }) {
  const userDir = makeFolder();
  let steps = 0;
  const limits = { askTimeout: 0, ...wanted.limits };
  const purse = openPurse(makeFolder(), userDir, { ...wanted, limits, steps: () => steps });
  const model = await scripted(script);
  const { prices = PRICES } = wanted;
  const models = [modelRef(model, 'openai-chat', { prices, maxOutput: 1000 })] as const;
  const engine = createNativeEngine(fastClock());
  const mayCall: Parameters<typeof finish>[0]['mayCall'] = (call) => purse.money.mayCall(call, null);
  const run = async (role: Role = 'worker'): Promise<RunOutcome> => {
    const { outcome } = await finish({
      engine,
      models,
      mayCall,
      spec: { role, agent: role === 'worker' ? 'main' : `${role}#1` },
      onEvent: (event) => {
        if (event.t === 'spend') purse.account.add(event);
        if (event.t === 'step_start' && event.agent === 'main') steps = event.step;
      },
    });
    return outcome;
  };
  const written = (): SpendRecord[] => {
    const calls: SpendRecord[] = [];
    scanSpend(userDir, 0, (call) => void calls.push(call));
    return calls;
  };
  return { ...purse, model, models, engine, mayCall, run, written };
}

const OVER = { status: 'stopped', stop: { reason: 'over_budget' } };

describe('one account', () => {
  it('a budget of a thousandth of a cent stops after one call, and no one else gets another', async () => {
    const { model, models, engine, mayCall, run, written } = await team(FOR_EVER, {
      limits: { budgetUsd: 0.00001 },
    });
    expect(await run()).toMatchObject(OVER);
    expect(model.requests).toHaveLength(1);
    expect(await run('tester')).toMatchObject(OVER);
    const question = { role: 'grader', system: '', prompt: 'good?', maxOutput: 100 } as const;
    const signal = new AbortController().signal;
    const graded = await engine.complete(
      { ...question, models, signal },
      { mayCall: mayCall ?? (() => null), emit: () => undefined },
    );
    expect(graded).toMatchObject(OVER);
    expect(model.requests).toHaveLength(1);
    expect(written()).toMatchObject([{ role: 'worker', usd: 0.0002 }]);
  });

  it('what a sub-agent spends is the job’s: the worker finds the budget used up', async () => {
    const { model, run, written } = await team(FOR_EVER, { limits: { budgetUsd: 0.0005 } });
    expect(await run('reviewer')).toMatchObject(OVER);
    expect(model.requests).toHaveLength(3);
    expect(await run()).toMatchObject(OVER);
    expect(model.requests).toHaveLength(3);
    expect(written().map(({ role }) => role)).toEqual(Array(3).fill('reviewer'));
  });

  it('a summary of the conversation is paid for like any other call', async () => {
    const { run, written } = await team(
      ({ role, index }) => {
        if (role === 'compactor') return { text: 'summed up', usage: { prompt: 1000, output: 100 } };
        if (index === 2)
          return { status: 400, body: { error: { code: 'context_length_exceeded', message: 'x' } } };
        return { calls: [{ name: 'read', args: { path: `${index}` } }] };
      },
      { limits: { budgetUsd: 0.001 } },
    );
    expect(await run()).toMatchObject(OVER);
    expect(written().map(({ role }) => role)).toEqual(['worker', 'worker', 'compactor']);
  });

  it('a request that failed in the last step is made again', async () => {
    const { run, model } = await team(({ index }) => (index === 0 ? { status: 500 } : { text: 'done' }), {
      limits: { maxSteps: 1 },
    });
    expect(await run()).toMatchObject({ status: 'done' });
    expect(model.requests).toHaveLength(2);
  });
});

describe('a cap holds whatever an endpoint says of its usage (MOD-11, MOD-17)', () => {
  it.each([
    ['(a) none at all: counted from the text, and marked', { usage: null }, PRICES, true],
    ['(c) in the last chunk alone', { usageIn: 'last' }, PRICES, false],
    ['(d) null in some chunks', { usageIn: 'null_in_others' }, PRICES, false],
    ['in every chunk', { usageIn: 'every' }, PRICES, false],
  ] as const)('%s', async (_title, turn, prices, estimated) => {
    const script: Script = ({ index }) => ({
      calls: [{ name: 'read', args: { path: `${index}` } }],
      ...turn,
    });
    const { run, written, account, model } = await team(script, { limits: { budgetUsd: 0.001 }, prices });
    expect(await run()).toMatchObject(OVER);
    const calls = written();
    expect(calls).toHaveLength(model.requests.length);
    expect(calls.every((call) => call.estimated === estimated && (call.usd ?? 0) > 0)).toBe(true);
    expect(account.spend.usd).toBeGreaterThanOrEqual(0.001);
    // 100 and 10 tokens at $1 and $10 a million, each counted once.
    if (!estimated) expect(calls.map(({ usd }) => usd)).toEqual(Array(5).fill(0.0002));
  });

  it.each([
    ['(b) no price: tokens are the cap, and the cost stays unknown', null, null, 'unknown'],
    ['a price of 0: free, and still not without end', { input: 0, output: 0 }, 0, 'user'],
  ] as const)('%s', async (_title, prices, usd, basis) => {
    const { run, account, written, model } = await team(FOR_EVER, { limits: { maxTokens: 500 }, prices });
    expect(await run()).toMatchObject(OVER);
    expect(account.spend).toMatchObject({ usd, basis });
    expect(model.requests).toHaveLength(5);
    expect(written().map((call) => call.usd)).toEqual(Array(5).fill(usd));
  });
});
