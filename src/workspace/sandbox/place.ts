import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { EXIT, UserError } from '../../job/user-error.ts';

/**
 * The real path of the folder a command starts in. Throws a UserError `workspace_lost` when it is not there
 * (nothing may run in another place instead), and an error of ours when it is outside of `roots`.
 */
export async function commandFolder(cwd: string, roots: readonly string[]): Promise<string> {
  const real = await folderOrNull(cwd);
  if (real === null) throw workspaceLost(cwd);
  const known = await Promise.all(roots.map(folderOrNull));
  if (known.some((root) => root !== null && (real === root || real.startsWith(root + sep)))) return real;
  throw new Error(`a command may not start in ${cwd}: it is outside of ${roots.join(', ')}`);
}

/** The folder that work goes on in has gone: the job cannot, and must not make a new one (STATE-10). */
export function workspaceLost(folder: string): UserError {
  return new UserError({
    code: 'workspace_lost',
    what: 'the folder of the work is gone',
    value: folder,
    remedy: 'start the task again',
    exit: EXIT.environment,
  });
}

async function folderOrNull(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(path) : null;
  } catch {
    // Not there, or not to be reached: either way nothing can start in it.
    return null;
  }
}
