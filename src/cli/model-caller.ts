import { callerOf } from '../notify/consent/caller.ts';
import { namesSum } from '../notify/consent/grant.ts';
import { userDirectory } from '../store/paths.ts';
import type { VerbContext } from './verb.ts';

/** Is a model the caller: from inside a Claude Code session, or a worker of ours? */
export function callerIsModel(env: NodeJS.ProcessEnv): boolean {
  return callerOf(env, userDirectory(env)).kind === 'model';
}

/** Does a model call, without the person's yes to what this call goes beyond the settings with? */
export function isBoundModel(context: Pick<VerbContext, 'env' | 'consent'>): boolean {
  return context.consent === null && callerIsModel(context.env);
}

/**
 * May this call raise an amount to `usd` of US dollars, with this option? A person may; a model only with the person's
 * yes to this very sum: a consent is to what the call needed it for, not to every word of the call.
 */
export function mayRaise(
  { env, consent }: Pick<VerbContext, 'env' | 'consent'>,
  flag: '--budget' | '--raise-budget',
  usd: number,
): boolean {
  return consent === null ? !callerIsModel(env) : namesSum(consent, flag, usd);
}
