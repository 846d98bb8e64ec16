import type { LoopVerdict } from './loop.ts';

/** What follows from a round of calls: go on, say something to the worker, or end. `event`: for the log. */
export type RoundVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'warn'; readonly event: string; readonly say: string }
  | { readonly kind: 'stop'; readonly message: string };

/** Of a worker that does the same again and again. */
export function circleWords(verdict: LoopVerdict): RoundVerdict {
  if (verdict.kind === 'go') return verdict;
  const { text } = verdict;
  if (verdict.kind === 'stop') return { kind: 'stop', message: `the worker goes round in circles: ${text}` };
  return {
    kind: 'warn',
    event: `going round in circles: ${text}`,
    say: `You have done ${text}. Repeating it will not help, and the run is stopped if you go on: do something else, or ask for help.`,
  };
}

/** Of a worker that does this and that, and changes nothing. */
export function nowhereWords(verdict: LoopVerdict): RoundVerdict {
  if (verdict.kind === 'go') return verdict;
  const { text } = verdict;
  if (verdict.kind === 'stop') return { kind: 'stop', message: `the worker gets nowhere: ${text}` };
  return {
    kind: 'warn',
    event: `getting nowhere: ${text}`,
    say: `So far: ${text}. If the task is done, say so and stop; if not, change something, or ask for help. The run is stopped if this goes on.`,
  };
}
