import { callerOf } from '../notify/consent/caller.ts';
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
