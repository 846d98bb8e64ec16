import { UserError } from '../job/user-error.ts';
import type { Bounds } from '../notify/consent/bounds.ts';
import { destinationsOf } from '../provider/destinations.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { resolveModel } from '../provider/resolve-model.ts';
import type { Settings } from '../provider/settings.ts';

/**
 * The user's settings as a model is bound by them; null when they cannot be read: then everything that could be beyond
 * them is. Loaded only where it is needed: the parser behind it costs a reading verb more than the reading.
 */
export function readBounds(env: Readonly<Record<string, string | undefined>>): Bounds | null {
  try {
    const { settings } = effectiveConfig({ env, projectRoot: null });
    return { ...boundsOf(settings), sendsTo: sendsTo(settings, env) };
  } catch (error) {
    // The verb itself says what is wrong with the file.
    if (error instanceof UserError) return null;
    throw error;
  }
}

function sendsTo(settings: Settings, env: Parameters<typeof readBounds>[0]): Bounds['sendsTo'] {
  try {
    return destinationsOf(resolveModel({}, settings, env, () => undefined));
  } catch (error) {
    // No default, or none with a key: nothing can be sent without more being said.
    if (error instanceof UserError) return [];
    throw error;
  }
}

function boundsOf(settings: Settings): Omit<Bounds, 'sendsTo'> {
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
