import { lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, parse } from 'node:path';
import { type PathEnvironment, stateDirectory, storePaths } from '../../store/paths.ts';
import { readSmallFile } from '../../store/small-file.ts';

/**
 * The folder of lines of the repository around `cwd`, found without git: a store on the way up, or, from a linked
 * worktree, that of the main working tree (gitrepository-layout(5)). null when there is none, or it is not ours.
 */
export function findLines(cwd: string, env: PathEnvironment): string | null {
  if (!isAbsolute(cwd)) return null;
  for (let at = cwd; at !== parse(at).root; at = dirname(at)) {
    const own = storePaths(at).lines;
    if (isUsable(own)) return own;
    const git = statSync(join(at, '.git'), { throwIfNoEntry: false });
    if (git?.isFile()) return ofWorktree(at, env);
    if (git !== undefined) return null;
  }
  return null;
}

function ofWorktree(at: string, env: PathEnvironment): string | null {
  const file = readSmallFile(join(at, '.git'), 64 * 1024);
  const named = file.kind === 'ok' ? /^gitdir: *(.+?) *$/m.exec(file.text)?.[1] : undefined;
  if (named === undefined) return null;
  const place = isAbsolute(named) ? named : `${at}/${named}`;
  const main = /^(.*)\/\.git\/worktrees\/[^/]*$/.exec(place)?.[1];
  const bare = /^(.*)\/worktrees\/[^/]*$/.exec(place)?.[1];
  if (main === undefined && bare === undefined) return null;
  const lines = storePaths(main ?? `${stateDirectory(env)}/bare${bare}`).lines;
  return isUsable(lines) ? lines : null;
}

/** Not a link, and nobody else's. */
function isUsable(folder: string): boolean {
  const status = lstatSync(folder, { throwIfNoEntry: false });
  const user = process.getuid?.();
  return status?.isDirectory() === true && (user === undefined || status.uid === user);
}
