import { expect, it } from 'vitest';
import type { EngineHost, ModelRef } from '../../../src/engine/engine.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../src/engine/http/retry.ts';
import { createNativeEngine } from '../../../src/engine/native/engine.ts';
import type { Script } from '../../../src/engine/scripted/server.ts';
import { begin, eventsOf, fastClock, modelRef, scripted } from '../harness.ts';
import { DONE, thenDone } from '../scenarios/row.ts';

type Host = Partial<EngineHost>;

async function run(script: Script, host: Host, options: { clock?: Clock; fallback?: Script } = {}) {
  const model = await scripted(script);
  const second = options.fallback === undefined ? null : await scripted(options.fallback);
  const clock = options.clock ?? fastClock();
  const primary = modelRef(model, 'openai-chat', { provider: 'one' });
  const models: [ModelRef, ...ModelRef[]] =
    second === null ? [primary] : [primary, modelRef(second, 'openai-chat', { provider: 'two' })];
  const begun = begin({ engine: createNativeEngine(clock), models, host });
  return { ...begun, requests: model.requests, second };
}

/** A pause that is over once it was kept. */
function once(ms: number): Host {
  let left = ms;
  return {
    pauseBefore: ({ provider }) => {
      const now = provider === 'one' ? left : 0;
      left = 0;
      return now;
    },
  };
}

it('waits as long as other jobs were told to, says so, and asks then', async () => {
  const clock = fastClock();
  const { run: job, events, requests } = await run([DONE], once(2500), { clock });
  expect((await job.done).status).toBe('done');
  expect(clock.waits).toEqual([2500]);
  expect(eventsOf(events, 'retry')).toMatchObject([{ kind: 'rate_limit', waitMs: 2500 }]);
  expect(requests).toHaveLength(1);
});

it('takes the fallback for a pause above the cap, without asking the first', async () => {
  const { run: job, events, requests, second } = await run([DONE], once(300_000), { fallback: [DONE] });
  expect((await job.done).status).toBe('done');
  expect(eventsOf(events, 'fallback')).toMatchObject([{ kind: 'rate_limit' }]);
  expect([requests.length, second?.requests.length]).toEqual([0, 1]);
});

it('without a fallback waits no longer than the cap, then asks the endpoint itself', async () => {
  const clock = fastClock();
  const { run: job, requests } = await run([DONE], once(300_000), { clock });
  expect((await job.done).status).toBe('done');
  expect(clock.waits).toEqual([60_000]);
  expect(requests).toHaveLength(1);
});

it('an abort ends the wait at once, and nothing is asked', async () => {
  const { run: job, requests } = await run([DONE], once(50_000), { clock: SYSTEM_CLOCK });
  const started = performance.now();
  job.abort();
  expect((await job.done).status).toBe('aborted');
  expect(performance.now() - started).toBeLessThan(4000);
  expect(requests).toHaveLength(0);
});

it.each([
  { name: '429 with Retry-After', turn: { status: 429, headers: { 'retry-after': '3' } }, asked: [3000] },
  { name: '429 without', turn: { status: 429 }, asked: [1000] },
  { name: '529', turn: { status: 529 }, asked: [1000] },
  { name: '429 above the cap', turn: { status: 429, headers: { 'retry-after': '300' } }, asked: [300_000] },
  { name: '500', turn: { status: 500 }, asked: [] },
])('tells other jobs of a pause: $name', async ({ turn, asked }) => {
  const pauses: number[] = [];
  const { run: job } = await run(thenDone(turn), { pauseAsked: (_model, ms) => void pauses.push(ms) });
  await job.done;
  expect(pauses).toEqual(asked);
});

it('a budget that is used up stops the run, and no other model is taken', async () => {
  const stop = { kind: 'failed', reason: 'over_budget', detail: 'spent' } as const;
  let calls = 0;
  const mayCall = () => {
    calls += 1;
    return calls > 1 ? stop : null;
  };
  const { run: job, requests, second } = await run([{ status: 500 }], { mayCall }, { fallback: [DONE] });
  expect(await job.done).toEqual({ status: 'stopped', stop });
  expect([requests.length, second?.requests.length]).toEqual([1, 0]);
});

it('a cancel while it waits to be allowed a call makes no step', async () => {
  let tell: () => void = () => undefined;
  let allow: () => void = () => undefined;
  const allowed = new Promise<null>((resolve) => {
    allow = () => resolve(null);
  });
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const mayCall = () => {
    tell();
    return allowed;
  };
  const { run: job, events, requests } = await run([DONE], { mayCall });
  await asked;
  job.abort();
  allow();
  expect((await job.done).status).toBe('aborted');
  expect(eventsOf(events, 'step_start')).toEqual([]);
  expect(requests.length).toBe(0);
});

it('a cancel during the wait after a 429 ends the run at once, and no other model is taken', async () => {
  const limited = { status: 429, headers: { 'retry-after': '50' } };
  let tell: () => void = () => undefined;
  const waits = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const host = { pauseAsked: () => tell() };
  const options = { clock: SYSTEM_CLOCK, fallback: [DONE] };
  const { run: job, events, requests, second } = await run([limited], host, options);
  await waits;
  job.abort();
  expect((await job.done).status).toBe('aborted');
  expect(eventsOf(events, 'fallback')).toEqual([]);
  expect([requests.length, second?.requests.length]).toEqual([1, 0]);
});
