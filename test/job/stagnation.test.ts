import { describe, expect, it } from 'vitest';
import { NO_STAGNATION, noteProgress, STAGNATION_LIMITS } from '../../src/job/stagnation.ts';

type Round = Parameters<typeof noteProgress>[1];

/** The rounds at which something is said, as `warn 40`. */
function said(count: number, round: (at: number) => Round): string[] {
  const words: string[] = [];
  let memory = NO_STAGNATION;
  for (let at = 1; at <= count; at += 1) {
    const next = noteProgress(memory, round(at));
    memory = next.memory;
    if (next.verdict.kind !== 'go') words.push(`${next.verdict.kind} ${at}`);
    if (next.verdict.kind === 'stop') break;
  }
  return words;
}

const { unchanged, repeated } = STAGNATION_LIMITS;
const look = (at: number) => ({ call: `read ${at}`, result: `file ${at}` });

describe('a worker that gets nowhere', () => {
  it('is told once, then stopped, when it only looks', () => {
    expect(said(300, (at) => ({ calls: [look(at)], changed: false }))).toEqual([
      `warn ${unchanged.warn}`,
      `stop ${unchanged.stop}`,
    ]);
  });

  it('is told once, then stopped, when it verifies again and again with other steps between', () => {
    const verify = { call: 'npm test', result: 'exit 0 (1.2s)\nok' };
    const rounds = said(300, (at) => ({ calls: [at % 3 === 0 ? verify : look(at)], changed: at === 1 }));
    expect(rounds).toEqual([`warn ${repeated.warn * 3}`, `stop ${repeated.stop * 3}`]);
  });

  it('is not told apart by how long a command took', () => {
    const rounds = said(300, (at) => ({
      calls: [{ call: 'npm test', result: `exit 1 (${at}.1s)\n1 failed in ${at}s` }],
      changed: at === 1,
    }));
    expect(rounds[0]).toBe(`warn ${repeated.warn + 1}`);
  });
});

describe('nothing is said to a worker', () => {
  it.each<[string, (at: number) => Round]>([
    [
      'that changes files between its tests',
      (at) => ({ calls: [{ call: 'npm test', result: 'fail' }], changed: at % 5 === 0 }),
    ],
    [
      'that waits for something that changes',
      (at) => ({ calls: [{ call: 'cat log', result: `line ${at}` }], changed: at === 1 }),
    ],
    ['that looks at many things after its first edit', (at) => ({ calls: [look(at)], changed: at === 1 })],
  ])('%s', (_, round) => {
    expect(said(300, round)).toEqual([]);
  });
});
