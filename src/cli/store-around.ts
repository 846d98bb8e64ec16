import { UserError } from '../job/user-error.ts';
import { openStore, type Store } from '../store/open.ts';
import { stateDirectory } from '../store/paths.ts';
import { findRepository, type Repository } from '../workspace/repository.ts';
import type { VerbContext } from './verb.ts';

/** The store of the repository around the caller, for reading; null where there is no repository. */
export async function storeAround(context: VerbContext): Promise<Store | null> {
  try {
    return openStore(storeHome(context, await findRepository(context.cwd)), { create: false });
  } catch (error) {
    // Outside a repository an id can still be found in the known ones.
    if (error instanceof UserError && error.explanation.code === 'not_a_repository') return null;
    throw error;
  }
}

/** Where a repository's store is: its main working tree; a bare one's in the state directory. */
export function storeHome(context: VerbContext, repository: Repository): string {
  return repository.home ?? `${stateDirectory(context.env)}/bare${repository.commonDir}`;
}
