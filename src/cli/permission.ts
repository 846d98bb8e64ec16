import { UserError } from '../job/user-error.ts';
import type { Bounds } from '../notify/consent/bounds.ts';
import { settingsText, writeBounds } from '../notify/consent/bounds-file.ts';
import type { Grant } from '../notify/consent/grant.ts';
import { permit } from '../notify/consent/permit.ts';
import { rememberSettings } from '../notify/policy-drift.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import type { Settings } from '../provider/settings.ts';
import { userDirectory } from '../store/paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Refuses (UserError, exit 5) a model's call beyond the user's settings; returns the person's consent that it used.
 * `argv` is what follows `cc-delegate`.
 */
export function requirePermission(argv: readonly string[], env: Environment): Grant | null {
  return permit({ argv, env, userDir: userDirectory(env), bounds: () => readSettings(env) });
}

/** The settings' text before a verb runs; what `shareSettings` compares with. */
export function settingsBefore(env: Environment): string {
  return settingsText(userDirectory(env));
}

/**
 * Lets the hooks know the settings as they are now. What a verb of ours has written the user has seen; a change that came
 * by other means is shown at the next start of a session, whoever has read the settings since.
 */
export function shareSettings(verb: string, env: Environment, before: string): void {
  if (!READ_SETTINGS.has(verb)) return;
  const bounds = readSettings(env);
  if (bounds === null) return;
  const userDir = userDirectory(env);
  // Without a file the hooks know the defaults, and to look at something makes no folder.
  if (settingsText(userDir) === '' && before === '') return;
  try {
    writeBounds(userDir, bounds);
    if (settingsText(userDir) !== before) rememberSettings(userDir, before);
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
    mode: settings.mode,
    defaultProfile: settings.defaultProfile,
    ...settings.budget,
    limits: settings.limits,
    network: settings.sandbox.network,
    allowUnsandboxed: settings.sandbox.allowUnsandboxed,
    pass: settings.env.pass,
    addDirs: settings.addDirs,
    applyAsk: settings.apply.ask,
  };
}
