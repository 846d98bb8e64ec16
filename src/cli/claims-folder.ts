import { join } from 'node:path';
import { repositoryHash, stateDirectory } from '../store/paths.ts';
import type { Repository } from '../workspace/repository.ts';

/** Where apply and undo claim a checkout: the same folder for every job, and for every worktree its own. */
export function claimsFolder(env: NodeJS.ProcessEnv, repository: Repository): string {
  return join(stateDirectory(env), 'claims', repositoryHash(repository.gitDir));
}
