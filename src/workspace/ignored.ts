import { userGit } from './git.ts';
import type { Repository } from './repository.ts';

/**
 * Do the user's ignore rules leave this file out? `path` is relative to the checkout, without a link in it; what is
 * tracked is never ignored. True also where git cannot tell, as in a submodule.
 */
export async function isIgnored(repository: Repository, path: string): Promise<boolean> {
  // With `./` no first character of a name means anything to git.
  const args = ['check-ignore', '--quiet', '--', `./${path}`];
  return (await userGit(repository, args, { accept: [0, 1, 128] })).exitCode !== 1;
}
