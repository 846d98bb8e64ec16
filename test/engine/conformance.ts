import { describe, expect, it, type TestContext } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Clock } from '../../src/engine/http/retry.ts';
import type { Script } from '../../src/engine/scripted/server.ts';
import {
  begin,
  eventsOf,
  type Finished,
  fastClock,
  finish,
  modelRef,
  QUIET,
  scripted,
  spent,
  type TestApi,
} from './harness.ts';
import { CALLS_ROWS } from './scenarios/calls.ts';
import { HTTP_ROWS } from './scenarios/http.ts';
import { LIMITS_ROWS } from './scenarios/limits.ts';
import { DONE, done, READ, thenDone } from './scenarios/row.ts';
import { STREAM_ROWS } from './scenarios/stream.ts';

const ROWS = [...HTTP_ROWS, ...STREAM_ROWS, ...CALLS_ROWS, ...LIMITS_ROWS];

/** What an engine does in its own way. */
export interface Dialect {
  /** A script that names the test tools `read` and `write`, in the names of the engine's own. */
  readonly script: (script: Script) => Script;
  /** What `read` and `write` did, in order, in the words of `testTools`. */
  readonly log: (run: Finished) => readonly string[];
  /** Scenarios that do not apply, each with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

const PLAIN: Dialect = { script: (script) => script, log: ({ log }) => log, leftOut: {} };

/** What every engine must do, whatever it is made of: one row for each way in which a model can behave. */
export function describeConformance(
  name: string,
  engineFor: (clock: Clock, test: TestContext) => Engine | Promise<Engine>,
  apis: readonly TestApi[],
  dialect: Dialect = PLAIN,
): void {
  const { leftOut } = dialect;
  const rows = ROWS.filter(({ scenario }) => !Object.hasOwn(leftOut, scenario));
  const scriptedFor = (script: Script) => scripted(dialect.script(script));

  describe.each(apis)(`${name} engine on %s`, (api) => {
    it('has a reason of its own for each scenario it leaves out', () => {
      const scenarios: readonly string[] = ROWS.map(({ scenario }) => scenario);
      expect(scenarios).toEqual(expect.arrayContaining(Object.keys(leftOut)));
    });

    it.for(rows)(
      'handles $scenario',
      async ({ script, fallback, idleMs, wanted, requests, log, waits, also }, test) => {
        const clock = fastClock();
        const model = await scriptedFor(withCompactor(script));
        const second = fallback && (await scriptedFor(fallback));
        const primary = modelRef(model, api);
        const run = await finish({
          engine: await engineFor(clock, test),
          models: second ? [primary, modelRef(second, api, { model: 'second' })] : [primary],
          spec: { idleMs: idleMs ?? 10_000 },
        });
        expect(run.outcome).toMatchObject(wanted);
        const asked = model.requests.filter(({ role }) => role === 'worker');
        expect(asked).toHaveLength(requests);
        if (log) expect(dialect.log(run)).toEqual(log);
        if (waits) expect(clock.waits).toEqual(waits);
        expect(eventsOf(run.events, 'fallback')).toHaveLength(second && wanted.status === 'done' ? 1 : 0);
        also?.(run, asked);
      },
    );

    it('delivers steering with the next request, all of it, in order, with a receipt', async (test) => {
      const model = await scriptedFor(thenDone(READ));
      const { run, events } = begin({
        engine: await engineFor(fastClock(), test),
        models: [modelRef(model, api)],
        onEvent: (event, started) => {
          if (event.t !== 'tool_start') return;
          started.steer({ id: 'm1', text: 'first word' });
          started.steer({ id: 'm2', text: 'second word' });
        },
      });
      await run.done;
      expect(model.requests[1]?.text).toMatch(/first word.*second word/);
      expect(eventsOf(events, 'steer_delivered').flatMap(({ ids }) => ids)).toEqual(['m1', 'm2']);
    });

    it('goes on when a message came while the worker said it is done', async (test) => {
      const model = await scriptedFor([{ text: 'Done too early.' }, DONE]);
      const { run } = begin({
        engine: await engineFor(fastClock(), test),
        models: [modelRef(model, api)],
        onEvent: (event, started) => {
          if (event.t === 'text' && event.delta.includes('early'))
            started.steer({ id: 'm1', text: 'one more' });
        },
      });
      expect(await run.done).toEqual(done);
      expect(model.requests[1]?.text).toContain('one more');
    });

    it('stops at once during a hung stream', async (test) => {
      const model = await scriptedFor([{ text: 'I will', ending: 'hang' }]);
      const { run } = begin({
        engine: await engineFor(fastClock(), test),
        models: [modelRef(model, api)],
        onEvent: (event, started) => void (event.t === 'text' && started.abort()),
      });
      expect(await run.done).toEqual({ status: 'aborted' });
    });

    it('counts what a cut request cost, cautiously', async (test) => {
      const model = await scriptedFor([
        { text: 'x'.repeat(400), ending: 'cut' },
        { ...DONE, usage: { prompt: 50, output: 5 } },
      ]);
      const run = await finish({
        engine: await engineFor(fastClock(), test),
        models: [modelRef(model, api)],
      });
      const [cut, whole] = eventsOf(run.events, 'spend');
      expect(cut).toMatchObject({ estimated: true, spend: { usage: { output: 100 } } });
      expect(whole).toMatchObject({ estimated: false, spend: { usage: { input: 50, output: 5 } } });
    });

    it('charges cached tokens once, at their own price', async (test) => {
      const usage = { prompt: 262_960, cacheRead: 257_955, output: 1744 };
      const model = await scriptedFor([{ ...DONE, usage }]);
      const prices = { input: 1.25, cacheRead: 0.3125, output: 10 };
      const run = await finish({
        engine: await engineFor(fastClock(), test),
        models: [modelRef(model, api, { prices })],
      });
      expect(spent(run.events).usd).toBeCloseTo(0.104307, 6);
      expect(spent(run.events).usage).toEqual({
        input: 5005,
        output: 1744,
        cacheRead: 257_955,
        cacheWrite: 0,
      });
    });

    it.for([
      { price: 'zero', prices: { input: 0, output: 0 }, usd: 0, basis: 'user' },
      { price: 'unknown', prices: null, usd: null, basis: 'unknown' },
    ])('keeps a price of $price apart from the other', async ({ prices, usd, basis }, test) => {
      const model = await scriptedFor([DONE]);
      const run = await finish({
        engine: await engineFor(fastClock(), test),
        models: [modelRef(model, api, { prices })],
      });
      expect(eventsOf(run.events, 'spend')[0]?.spend).toMatchObject({ usd, basis });
    });

    it('asks before every request, repeated ones too, and stops with the answer', async (test) => {
      const stop = { kind: 'failed', reason: 'over_budget', detail: 'spent' } as const;
      const model = await scriptedFor([{ status: 500 }]);
      let left = 2;
      const run = await finish({
        engine: await engineFor(fastClock(), test),
        models: [modelRef(model, api)],
        mayCall: () => (left-- > 0 ? null : stop),
      });
      expect(run.outcome).toEqual({ status: 'stopped', stop });
      expect(model.requests).toHaveLength(2);
    });

    it('names the role of every request', async (test) => {
      const model = await scriptedFor({ turns: { tester: [DONE], grader: [{ text: 'fine' }] } });
      const engine = await engineFor(fastClock(), test);
      const models = [modelRef(model, api)] as const;
      const run = await finish({ engine, models, spec: { role: 'tester', agent: 'tester#1' } });
      const spec = { role: 'grader', models, system: 's', prompt: 'p', maxOutput: 100 } as const;
      const graded = await engine.complete({ ...spec, signal: new AbortController().signal }, QUIET);
      expect(run.outcome).toEqual(done);
      expect(new Set(run.events.map(({ agent }) => agent))).toEqual(new Set(['tester#1']));
      expect(graded).toEqual({ status: 'done', text: 'fine' });
    });
  });
}

/** A list is the worker's; the summary a compaction asks for is always there. */
function withCompactor(script: Script): Script {
  if (!Array.isArray(script)) return script;
  return { turns: { worker: [...script], compactor: [{ text: 'SUMMARY' }] } };
}
