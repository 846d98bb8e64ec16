import { describe, expect, it } from 'vitest';
import { LOOP_LIMITS, type LoopVerdict, NO_ROUNDS, noteRound, type Round } from '../../src/job/loop.ts';

function play(rounds: number, make: (index: number) => Round): LoopVerdict['kind'][] {
  let memory = NO_ROUNDS;
  return Array.from({ length: rounds }, (_, index) => {
    const noted = noteRound(memory, make(index));
    memory = noted.memory;
    return noted.verdict.kind;
  });
}

const same = (calls: string, results = 'r'): Round => ({ calls, results });
const positions = (kinds: readonly string[], kind: string): number[] =>
  kinds.flatMap((found, index) => (found === kind ? [index + 1] : []));

describe('noteRound', () => {
  it.each([
    { circle: ['A'], warn: [3], stop: 8 },
    { circle: ['A', 'B'], warn: [6], stop: 16 },
    { circle: ['A', 'B', 'C'], warn: [9], stop: 24 },
    { circle: ['A', 'A', 'B', 'C'], warn: [12], stop: 32 },
  ])('warns once and then stops the circle $circle', ({ circle, warn, stop }) => {
    const kinds = play(stop, (index) => same(circle[index % circle.length] ?? ''));
    expect(positions(kinds, 'warn')).toEqual(warn);
    expect(positions(kinds, 'stop')).toEqual([stop]);
  });

  it('takes a text without a call for a round', () => {
    const kinds = play(8, () => ({ calls: '', results: 'I will do it now.' }));
    expect(kinds.at(-1)).toBe('stop');
  });

  it('is patient with calls whose results change', () => {
    const kinds = play(LOOP_LIMITS.changing.stop, (index) => same('A', String(index)));
    expect(positions(kinds, 'warn')).toEqual([LOOP_LIMITS.changing.warn]);
    expect(positions(kinds, 'stop')).toEqual([LOOP_LIMITS.changing.stop]);
  });

  it('lets work that differs go on for ever', () => {
    expect(new Set(play(500, (index) => same(`edit ${index}`)))).toEqual(new Set(['go']));
  });

  it('starts to count anew after something else was done', () => {
    const kinds = play(14, (index) => same(index === 7 ? 'other' : 'A'));
    expect(kinds).not.toContain('stop');
  });

  it('lets an edit between two runs of the same failing test pass', () => {
    const kinds = play(100, (index) => (index % 2 === 0 ? same('test', 'failed') : same(`edit ${index}`)));
    expect(new Set(kinds)).toEqual(new Set(['go']));
  });

  it('keeps a bounded memory', () => {
    let memory = NO_ROUNDS;
    for (let index = 0; index < 1000; index += 1)
      memory = noteRound(memory, same(`c${index}`, 'x'.repeat(1000))).memory;
    expect(JSON.stringify(memory).length).toBeLessThan(20_000);
  });
});
