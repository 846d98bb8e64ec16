import { callerOf } from '../notify/consent/caller.ts';
import { userDirectory } from '../store/paths.ts';

/** Is a model the caller: from inside a Claude Code session, or a worker of ours? */
export function callerIsModel(env: NodeJS.ProcessEnv): boolean {
  return callerOf(env, userDirectory(env)).kind === 'model';
}
