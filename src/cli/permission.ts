import { UserError } from '../job/user-error.ts';
import type { Bounds } from '../notify/consent/bounds.ts';
import { hasBounds, settingsText, writeBounds } from '../notify/consent/bounds-file.ts';
import type { Grant } from '../notify/consent/grant.ts';
import { permit } from '../notify/consent/permit.ts';
import { rememberSettings } from '../notify/policy-drift.ts';
import { userDirectory } from '../store/paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Refuses (UserError, exit 5) a model's call beyond the user's settings; returns the person's consent that it used.
 * `argv` is what follows `cc-delegate`.
 */
export function requirePermission(argv: readonly string[], env: Environment): Promise<Grant | null> {
  return permit({ argv, env, userDir: userDirectory(env), bounds: () => bounds(env) });
}

/**
 * Called before a verb runs; what it returns is called after, and lets the hooks know the settings as they are then. What
 * a verb of ours has written the user has seen; a change that came by other means is shown at the next start of a session,
 * whoever has read the settings since.
 */
export function watchSettings(verb: string, env: Environment): () => Promise<void> {
  if (!READ_SETTINGS.has(verb)) return async () => undefined;
  const userDir = userDirectory(env);
  const before = settingsText(userDir);
  return async () => {
    const now = settingsText(userDir);
    const { boundsForHooks } = await import('./read-bounds.ts');
    const known = boundsForHooks(env);
    if (known === null) return;
    // Without a file, and with nowhere to send to, the hooks know the defaults; and to look at something makes no folder.
    const sendsNowhere = known.sendsTo.length === 0 && Object.keys(known.named?.providers ?? {}).length === 0;
    if (now === '' && before === '' && sendsNowhere && !hasBounds(userDir)) return;
    try {
      writeBounds(userDir, known);
      if (now !== before) rememberSettings(userDir, before);
    } catch (error) {
      // A full or read-only disk: then the hooks know nothing, and ask the person.
      if (!(error instanceof UserError)) throw error;
    }
  };
}

const READ_SETTINGS = new Set(['config', 'auth', 'start', 'ask', 'followup', 'resume', 'retry', 'doctor']);

async function bounds(env: Environment): Promise<Bounds | null> {
  const { readBounds } = await import('./read-bounds.ts');
  return readBounds(env);
}
