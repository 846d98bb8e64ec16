import { UserError } from '../job/user-error.ts';
import { writeBounds } from '../notify/consent/bounds-file.ts';
import { type Bounds, DEFAULT_BOUNDS } from '../notify/consent/need.ts';
import { permit } from '../notify/consent/permit.ts';
import { rememberSettings } from '../notify/policy-drift.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import type { Settings } from '../provider/settings.ts';
import { userDirectory } from '../store/paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Refuses (UserError, exit 5) a model's call beyond the user's settings. `argv` is what follows `cc-delegate`. */
export function requirePermission(argv: readonly string[], env: Environment): void {
  permit({ argv, env, userDir: userDirectory(env), bounds: () => readSettings(env) });
}

/**
 * Lets the hooks know the settings as they are now. After `config` they are also what the user has seen: a change that
 * came by other means is shown at the next start of a session.
 */
export function shareSettings(verb: string, env: Environment): void {
  if (!READ_SETTINGS.has(verb)) return;
  const bounds = readSettings(env);
  if (bounds === null) return;
  const userDir = userDirectory(env);
  try {
    writeBounds(userDir, bounds);
    if (verb === 'config') rememberSettings(userDir);
  } catch (error) {
    // A full or read-only disk: then the hooks know nothing, and ask the person.
    if (!(error instanceof UserError)) throw error;
  }
}

const READ_SETTINGS = new Set(['config', 'start', 'ask', 'followup', 'resume', 'retry', 'doctor']);

/** Null when the settings cannot be read: then everything that could be beyond them is. */
function readSettings(env: Environment): Bounds | null {
  try {
    return boundsOf(effectiveConfig({ env, projectRoot: null }).settings);
  } catch (error) {
    // The verb itself says what is wrong with the file.
    if (error instanceof UserError) return null;
    throw error;
  }
}

function boundsOf(settings: Settings): Bounds {
  return {
    ...DEFAULT_BOUNDS,
    mode: settings.mode,
    defaultProfile: settings.defaultProfile,
    ...settings.budget,
    network: settings.sandbox.network,
    allowUnsandboxed: settings.sandbox.allowUnsandboxed,
    pass: settings.env.pass,
    addDirs: settings.addDirs,
    applyAsk: settings.apply.ask,
  };
}
