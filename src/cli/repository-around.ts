import { UserError } from '../job/user-error.ts';
import { findRepository, type Repository } from '../workspace/repository.ts';

/** null outside of any repository. Throws UserError as `findRepository` does for one that cannot be used. */
export async function repositoryAround(cwd: string): Promise<Repository | null> {
  try {
    return await findRepository(cwd);
  } catch (error) {
    if (error instanceof UserError && error.explanation.code === 'not_a_repository') return null;
    throw error;
  }
}
