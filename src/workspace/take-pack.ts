import { lstat } from 'node:fs/promises';
import { EXIT, UserError } from '../job/user-error.ts';
import { GitError, refsGit } from './git.ts';
import type { Repository } from './repository.ts';

const LARGEST_PACK_BYTES = 4 * 1024 ** 3;

/**
 * Brings a pack into the user's repository, every object of it checked first (`index-pack --strict`, what
 * fetch.fsckObjects does; git before 2.46 leaves that out when it fetches from a bundle). No ref is
 * touched. A pack with objects git calls unsafe is a UserError (exit 1) in git's words.
 */
export async function takePack(repository: Repository, file: string): Promise<void> {
  const stat = await lstat(file);
  if (!stat.isFile() || stat.nlink !== 1 || stat.size > LARGEST_PACK_BYTES) {
    throw refused(file, 'it is no plain file of a size we take');
  }
  try {
    await refsGit(repository, ['index-pack', '--strict', '--stdin'], { inputFile: file });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw refused(file, error.stderr.trim().replaceAll('\n', ', '), error);
  }
}

function refused(file: string, why: string, cause?: GitError): UserError {
  return new UserError(
    {
      code: 'result_refused',
      what: `git refuses the collected objects: ${why}`,
      value: file,
      remedy: 'look at the workspace by hand: cc-delegate open ID',
      exit: EXIT.badNews,
    },
    cause === undefined ? {} : { cause },
  );
}
