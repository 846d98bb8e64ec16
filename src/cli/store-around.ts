import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../job/user-error.ts';
import { openStore, type Store } from '../store/open.ts';
import { stateDirectory, userDirectory } from '../store/paths.ts';
import { findRepository, type Repository } from '../workspace/repository.ts';
import type { VerbContext } from './verb.ts';

/**
 * The store of the repository around the caller, for reading; outside of one that of the asks made there. null where
 * there is neither.
 */
export async function storeAround(context: VerbContext): Promise<Store | null> {
  try {
    return openStore(storeHome(context, await findRepository(context.cwd)), { create: false });
  } catch (error) {
    if (!(error instanceof UserError) || error.explanation.code !== 'not_a_repository') throw error;
    const asks = asksFolder(userDirectory(context.env));
    // Without it an id can still be found in the known repositories.
    return existsSync(asks) ? openStore(asks, { create: false }) : null;
  }
}

/** Where the records of asks live that were made outside of any repository. */
export function asksFolder(userDir: string): string {
  return join(userDir, 'asks');
}

/** Where a repository's store is: its main working tree; a bare one's in the state directory. */
export function storeHome(context: VerbContext, repository: Repository): string {
  return repository.home ?? `${stateDirectory(context.env)}/bare${repository.commonDir}`;
}
