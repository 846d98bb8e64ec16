import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Caps } from '../job/budget.ts';
import { type PathEnvironment, userDirectory } from '../store/paths.ts';

/**
 * The user's caps of day and repository as they are set now: a cap that is raised while a job waits counts at once. The
 * file is parsed when it has changed, and its parser loaded then. `complain` hears of a file that cannot be used; what was
 * read before holds on.
 */
export function capsReader(env: PathEnvironment, complain: (error: unknown) => void): () => Promise<Caps> {
  let seen: string | null = null;
  let caps: Caps | null = null;
  return async () => {
    const stamp = stampOf(join(userDirectory(env), 'config.yaml'));
    if (caps !== null && stamp === seen) return caps;
    const { effectiveConfig } = await import('../provider/effective-config.ts');
    const { DEFAULT_SETTINGS } = await import('../provider/settings.ts');
    try {
      caps = effectiveConfig({ env, projectRoot: null }).settings.budget;
    } catch (error) {
      complain(error);
      caps ??= DEFAULT_SETTINGS.budget;
    }
    seen = stamp;
    return caps;
  };
}

/** Another one after every change. */
function stampOf(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? 'absent' : `${status.ino} ${status.mtimeMs} ${status.size}`;
}
