import type { Limits } from '../job/limits.ts';
import type { JobRecord } from '../job/record.ts';
import type { Conversation } from './find-conversation.ts';
import { taskOf } from './find-conversation.ts';

/**
 * The newest turn and those it was resumed from, oldest first: together they are one piece of work, under one budget.
 */
export function resumeChain({ store, turns, newest }: Conversation): readonly [JobRecord, ...JobRecord[]] {
  const chain: [JobRecord, ...JobRecord[]] = [newest];
  for (;;) {
    const { goesOn } = taskOf(store, chain[0]);
    const before = goesOn?.how === 'resume' ? turns.find(({ id }) => id === goesOn.job) : undefined;
    if (before === undefined || chain.includes(before)) return chain;
    chain.unshift(before);
  }
}

/** The limits of the newest turn, with the money and tokens its work had from the beginning: a resume only has what is left. */
export function limitsOfWork(conversation: Conversation): Limits {
  const [{ limits: first }] = resumeChain(conversation);
  const { budgetUsd, maxTokens } = first;
  return { ...conversation.newest.limits, budgetUsd, maxTokens };
}
