import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StopClock } from '../../../src/runner/grader/stop-clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a clock that can be held', () => {
  it('does not run before it is started', () => {
    const clock = new StopClock(100);
    vi.advanceTimersByTime(1_000);
    expect(clock.signal.aborted).toBe(false);
  });

  it('is up when the limit has passed, and not before', () => {
    const clock = new StopClock(100);
    clock.start();
    vi.advanceTimersByTime(99);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.signal.aborted).toBe(true);
  });

  it('counts only the time it runs, however often it is held', () => {
    const clock = new StopClock(100);
    for (let n = 0; n < 3; n += 1) {
      clock.start();
      vi.advanceTimersByTime(30);
      clock.stop();
      vi.advanceTimersByTime(10_000);
    }
    clock.start();
    vi.advanceTimersByTime(9);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.signal.aborted).toBe(true);
  });

  it('begins no second count when it is started twice, and loses nothing when it is stopped twice', () => {
    const clock = new StopClock(100);
    clock.start();
    vi.advanceTimersByTime(60);
    clock.start();
    clock.stop();
    clock.stop();
    vi.advanceTimersByTime(500);
    expect(vi.getTimerCount()).toBe(0);
    clock.start();
    vi.advanceTimersByTime(39);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.signal.aborted).toBe(true);
  });

  it('stays up', () => {
    const clock = new StopClock(1);
    clock.start();
    vi.advanceTimersByTime(5);
    clock.stop();
    clock.start();
    expect(clock.signal.aborted).toBe(true);
  });
});
