import { EXIT, UserError } from '../job/user-error.ts';

/**
 * A worker that delegates further would spend the user's money where nobody looks. Throws UserError (exit 5) for one
 * as the caller.
 */
export function refuseRecursion(env: NodeJS.ProcessEnv): void {
  if (env.CC_DELEGATE_WORKER !== '1') return;
  throw new UserError({
    code: 'recursion',
    what: 'a worker cannot start a delegation of its own',
    value: 'CC_DELEGATE_WORKER=1',
    remedy: 'do the work here, or ask the supervisor',
    exit: EXIT.refused,
  });
}
