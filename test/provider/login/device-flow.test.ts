import { describe, expect, it } from 'vitest';
import { afterPoll, atTime, beginFlow, type PollAnswer } from '../../../src/provider/login/device-flow.ts';

const NOW = 1_000_000;
const begun = () => beginFlow({ intervalMs: 5000, lifeMs: 900_000 }, NOW);

describe('a device flow', () => {
  it('is first asked about after the interval', () => {
    expect(begun()).toEqual({
      state: 'pending',
      intervalMs: 5000,
      nextPollAt: NOW + 5000,
      expiresAt: NOW + 900_000,
    });
  });

  it.each([null, Number.NaN, -1])('has the interval of the standard for %s', (intervalMs) => {
    expect(beginFlow({ intervalMs, lifeMs: 1000 }, NOW).intervalMs).toBe(5000);
  });

  it.each<{ answer: PollAnswer; intervalMs: number }>([
    { answer: { kind: 'pending' }, intervalMs: 5000 },
    { answer: { kind: 'unclear', why: 'it answered 502' }, intervalMs: 5000 },
    { answer: { kind: 'slow_down', intervalMs: null }, intervalMs: 10_000 },
    { answer: { kind: 'slow_down', intervalMs: 30_000 }, intervalMs: 30_000 },
    { answer: { kind: 'slow_down', intervalMs: 1000 }, intervalMs: 10_000 },
    { answer: { kind: 'slow_down', intervalMs: 9e9 }, intervalMs: 60_000 },
  ])('goes on after $answer, every $intervalMs ms', ({ answer, intervalMs }) => {
    expect(afterPoll(begun(), answer, NOW + 6000)).toMatchObject({
      state: 'pending',
      intervalMs,
      nextPollAt: NOW + 6000 + intervalMs,
    });
  });

  it('slows down for good, each time it is told', () => {
    const slower = afterPoll(begun(), { kind: 'slow_down', intervalMs: null }, NOW + 5000);
    if (slower.state !== 'pending') throw new Error('it ended');
    expect(afterPoll(slower, { kind: 'slow_down', intervalMs: null }, NOW + 9000)).toMatchObject({
      intervalMs: 15_000,
    });
    expect(afterPoll(slower, { kind: 'pending' }, NOW + 9000)).toMatchObject({ intervalMs: 10_000 });
  });

  it.each<{ answer: PollAnswer; ends: object }>([
    { answer: { kind: 'authorized' }, ends: { state: 'authorized' } },
    { answer: { kind: 'denied' }, ends: { state: 'failed', reason: 'denied' } },
    { answer: { kind: 'expired' }, ends: { state: 'failed', reason: 'expired' } },
    { answer: { kind: 'refused', why: 'no plan' }, ends: { state: 'failed', detail: 'no plan' } },
  ])('ends with $answer', ({ answer, ends }) => {
    expect(afterPoll(begun(), answer, NOW)).toMatchObject(ends);
  });

  it.each<PollAnswer>([
    { kind: 'pending' },
    { kind: 'unclear', why: 'x' },
    { kind: 'slow_down', intervalMs: null },
  ])('expires by our clock when the service only says $kind', (answer) => {
    expect(afterPoll(begun(), answer, NOW + 900_000)).toMatchObject({ state: 'failed', reason: 'expired' });
    expect(atTime(begun(), NOW + 899_999)).toEqual(begun());
  });
});
