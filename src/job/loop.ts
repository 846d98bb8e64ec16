/** How often the same may happen before the worker is told, and before it is stopped. */
export const LOOP_LIMITS = {
  /** The same calls with the same results; also A B A B, and longer circles up to `longestCircle`. */
  same: { warn: 3, stop: 8 },
  /** The same calls with results that change, such as a look at a file that grows: perhaps it waits for something. */
  changing: { warn: 20, stop: 50 },
  longestCircle: 4,
} as const;

/** One round of a worker: its calls as text, and what came back. A round without a call has its text for both. */
export interface Round {
  readonly calls: string;
  readonly results: string;
}

interface Print {
  readonly calls: string;
  readonly results: string;
}

/** The last rounds, as fingerprints: as many as the largest bound needs. */
export interface LoopMemory {
  readonly rounds: readonly Print[];
}

export const NO_ROUNDS: LoopMemory = { rounds: [] };

export type LoopVerdict =
  | { readonly kind: 'go' }
  /** Said once for a circle, when it reaches the bound. */
  | { readonly kind: 'warn'; readonly text: string }
  | { readonly kind: 'stop'; readonly text: string };

const KEPT = LOOP_LIMITS.longestCircle * LOOP_LIMITS.changing.stop;

/** Adds a round to the memory and says whether the worker goes round in circles. */
export function noteRound(memory: LoopMemory, round: Round): { memory: LoopMemory; verdict: LoopVerdict } {
  const print = { calls: fingerprint(round.calls), results: fingerprint(round.results) };
  const rounds = [...memory.rounds, print].slice(-KEPT);
  return { memory: { rounds }, verdict: judgeRounds(rounds) };
}

function judgeRounds(rounds: readonly Print[]): LoopVerdict {
  let verdict: LoopVerdict = { kind: 'go' };
  for (let length = 1; length <= LOOP_LIMITS.longestCircle; length += 1) {
    const found = [
      judge(rounds, length, 'same', (a, b) => a.calls === b.calls && a.results === b.results),
      judge(rounds, length, 'changing', (a, b) => a.calls === b.calls),
    ];
    for (const next of found) {
      if (next.kind === 'stop') return next;
      if (next.kind === 'warn' && verdict.kind === 'go') verdict = next;
    }
  }
  return verdict;
}

function judge(
  rounds: readonly Print[],
  length: number,
  bound: 'same' | 'changing',
  equal: (a: Print, b: Print) => boolean,
): LoopVerdict {
  const { warn, stop } = LOOP_LIMITS[bound];
  const equalRounds = countEqual(rounds, length, equal);
  const times = Math.floor(equalRounds / length) + 1;
  const what = length === 1 ? 'the same step' : `the same ${length} steps in turn`;
  const outcome = bound === 'same' ? 'with the same result' : 'with changing results';
  const text = `${what} ${times} times ${outcome}`;
  if (times >= stop) return { kind: 'stop', text };
  const justReached = equalRounds === (warn - 1) * length;
  // A circle of equal parts is a shorter circle, which has been judged already.
  const parts = [1, 2].filter((part) => part < length && length % part === 0);
  const shorter = parts.some((part) => countEqual(rounds, part, equal) >= length);
  return justReached && !shorter ? { kind: 'warn', text } : { kind: 'go' };
}

/** How many rounds, from the newest back, equal the one `length` before them. */
function countEqual(
  rounds: readonly Print[],
  length: number,
  equal: (a: Print, b: Print) => boolean,
): number {
  let count = 0;
  for (let at = rounds.length - 1; at >= length; at -= 1) {
    const [later, earlier] = [rounds[at], rounds[at - length]];
    if (!later || !earlier || !equal(later, earlier)) break;
    count += 1;
  }
  return count;
}

/** Length and a 32-bit FNV-1a hash: texts that differ are told apart well enough for a count of neighbours. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return `${text.length}:${hash.toString(36)}`;
}
