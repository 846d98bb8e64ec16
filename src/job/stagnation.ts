import type { LoopVerdict } from './loop.ts';

/** How long a worker may get nowhere before it is told, and before it is stopped. */
export const STAGNATION_LIMITS = {
  /** Rounds of calls in which no file has changed, from the start. */
  unchanged: { warn: 40, stop: 100 },
  /** The same call with the same result since a file last changed, whatever lies between. */
  repeated: { warn: 8, stop: 20 },
} as const;

/** One call of a round: what it was, and what came of it. */
export interface CallPrint {
  readonly call: string;
  readonly result: string;
}

export interface StagnationMemory {
  readonly rounds: number;
  /** Has any file changed yet? */
  readonly changed: boolean;
  /** How often each call gave each result since the last change. */
  readonly seen: ReadonlyMap<string, number>;
  readonly warned: ReadonlySet<'unchanged' | 'repeated'>;
}

export const NO_STAGNATION: StagnationMemory = {
  rounds: 0,
  changed: false,
  seen: new Map(),
  warned: new Set(),
};

/**
 * Adds a round of calls and says whether the worker gets anywhere. `changed`: has a file changed in this round?
 * Other than a circle (see `noteRound`) the steps between may differ. Each kind is warned of once.
 */
export function noteProgress(
  memory: StagnationMemory,
  round: { readonly calls: readonly CallPrint[]; readonly changed: boolean },
): { memory: StagnationMemory; verdict: StagnationVerdict } {
  const seen = new Map(round.changed ? [] : memory.seen);
  for (const { call, result } of round.changed ? [] : round.calls) {
    const print = `${call}\n${withoutTimes(result)}`;
    seen.set(print, (seen.get(print) ?? 0) + 1);
  }
  const next = {
    rounds: memory.rounds + 1,
    changed: memory.changed || round.changed,
    seen,
    // A change is a new beginning for what is repeated.
    warned: new Set([...memory.warned].filter((kind) => kind !== 'repeated' || !round.changed)),
  };
  const verdict = judge(next);
  const kind = verdict.kind === 'warn' ? verdict.about : null;
  const warned = new Set([...next.warned, ...(kind === null ? [] : [kind])]);
  return { memory: { ...next, warned }, verdict };
}

/** What was found, and by which of the two measures. */
export type StagnationVerdict = LoopVerdict & { readonly about: 'unchanged' | 'repeated' };

function judge({ rounds, changed, seen, warned }: StagnationMemory): StagnationVerdict {
  const times = Math.max(0, ...seen.values());
  const { unchanged, repeated } = STAGNATION_LIMITS;
  if (times >= repeated.warn && (times >= repeated.stop || !warned.has('repeated'))) {
    const text = `the same call with the same result ${times} times, and no file changed since`;
    return { kind: times >= repeated.stop ? 'stop' : 'warn', text, about: 'repeated' };
  }
  if (!changed && rounds >= unchanged.warn && (rounds >= unchanged.stop || !warned.has('unchanged'))) {
    const text = `${rounds} rounds of calls without a change of any file`;
    return { kind: rounds >= unchanged.stop ? 'stop' : 'warn', text, about: 'unchanged' };
  }
  return { kind: 'go', about: 'unchanged' };
}

/** How long a command or a test took says nothing about what it did. */
function withoutTimes(result: string): string {
  return result
    .replace(/^(exit \d+(?:: [^(\n]*)?) \([\dhms.]+\)/, '$1')
    .replace(/\bin \d+(?:\.\d+)?s\b|\(\d+(?:\.\d+)? ?ms\)|(?<=duration(?:_ms)?:?\s+)\d[\d.]*\s?m?s?/gi, '#');
}
