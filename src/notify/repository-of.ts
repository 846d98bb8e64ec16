import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type PathEnvironment, stateDirectory } from '../store/paths.ts';
import { readSmallFile } from '../store/small-file.ts';

/**
 * The repository whose store the jobs of a folder are in, found without starting git: the main working tree
 * (gitrepository-layout(5)); null outside of one.
 */
export function repositoryOf(cwd: string, env: PathEnvironment): string | null {
  try {
    for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
      const git = join(folder, '.git');
      const status = statSync(git, { throwIfNoEntry: false });
      if (status?.isDirectory()) return folder;
      if (status?.isFile()) return mainTree(folder, git, env);
      if (folder === dirname(folder)) return null;
    }
  } catch {
    // A folder that is gone or closed is in no repository we could do anything for.
    return null;
  }
}

/** A `.git` that is a file: a linked worktree, whose common directory is another one's, or a submodule. */
function mainTree(folder: string, file: string, env: PathEnvironment): string {
  const directory = lineOf(file)?.replace(/^gitdir: /, '');
  if (directory === undefined) return folder;
  const own = resolve(folder, directory);
  const common = lineOf(join(own, 'commondir'));
  if (common === undefined) return folder;
  const shared = realpathSync(resolve(own, common));
  if (basename(shared) === '.git') return dirname(shared);
  // A bare repository has its store in the state directory.
  return existsSync(join(shared, 'HEAD')) ? `${stateDirectory(env)}/bare${shared}` : folder;
}

function lineOf(path: string): string | undefined {
  const file = readSmallFile(path, 4096);
  return file.kind === 'ok' ? file.text.trim() : undefined;
}
