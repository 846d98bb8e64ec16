import { UserError } from '../job/user-error.ts';
import type { Bounds } from '../notify/consent/bounds.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import type { Settings } from '../provider/settings.ts';

/**
 * The user's settings as a model is bound by them; null when they cannot be read: then everything that could be beyond
 * them is. Loaded only where it is needed: the parser behind it costs a reading verb more than the reading.
 */
export function readBounds(env: Readonly<Record<string, string | undefined>>): Bounds | null {
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
