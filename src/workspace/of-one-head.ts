import { EXIT, UserError } from '../job/user-error.ts';
import { type Repository, resolveBase } from './repository.ts';

/** A rebase moves HEAD a few times a second, and is over soon. */
const MOST_TRIES = 10;

/**
 * What `read` makes of HEAD and of the files over it, both of one moment: where HEAD moved meanwhile it is read again,
 * since the one commit under the other's changes is a tree that never was. `again` is said from the second time on.
 * Throws UserError (exit 6) when HEAD never stands still or there is no commit, and what `read` throws.
 */
export async function ofOneHead<T>(
  repository: Repository,
  read: (head: string, again: boolean) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const head = await resolveBase(repository);
    const made = await read(head, tries > 0);
    if ((await resolveBase(repository)) === head) return made;
  }
  throw new UserError({
    code: 'checkout_moving',
    what: 'the checkout went from commit to commit while it was read',
    value: repository.checkout,
    remedy: 'try again when it stands still',
    exit: EXIT.environment,
  });
}
