import { isAbove, type PermissionMode } from '../job/permission-mode.ts';
import { UserError } from '../job/user-error.ts';
import type { Bounds } from '../notify/consent/bounds.ts';
import { defaultProfile, type ModelRequest } from '../provider/choose-model.ts';
import { destinationsOf } from '../provider/destinations.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { PROVIDERS } from '../provider/providers.ts';
import { resolveModel } from '../provider/resolve-model.ts';
import type { Settings } from '../provider/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The user's settings as a model is bound by them; null when they cannot be read: then everything that could be beyond
 * them is. Loaded only where it is needed: the parser behind it costs a reading verb more than the reading.
 */
export function readBounds(env: Environment): Bounds | null {
  return readBoth(env)?.bounds ?? null;
}

function readBoth(env: Environment): { readonly bounds: Bounds; readonly settings: Settings } | null {
  try {
    const { settings } = effectiveConfig({ env, projectRoot: null });
    return { settings, bounds: { ...boundsOf(settings), sendsTo: destinations({}, settings, env) } };
  } catch (error) {
    // The verb itself says what is wrong with the file.
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** The same, and where a call sends to that names a profile or a model: for the hooks, which cannot find it out. */
export function boundsForHooks(env: Environment): Bounds | null {
  const read = readBoth(env);
  if (read === null) return null;
  const { bounds, settings } = read;
  const found = (names: readonly string[], request: (name: string) => ModelRequest) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const to = destinations(request(name), settings, env);
        return to.length === 0 ? [] : [[name.replace(/:.*/, ''), to]];
      }),
    );
  const { allowedModels } = settings;
  const models = allowedModels === 'all' ? PROVIDERS.map(({ id }) => `${id}:any`) : allowedModels;
  return {
    ...bounds,
    named: {
      profiles: found(Object.keys(settings.profiles), (profile) => ({ profile })),
      providers: found(models, (model) => ({ model })),
    },
  };
}

function destinations(request: ModelRequest, settings: Settings, env: Environment): Bounds['sendsTo'] {
  try {
    return destinationsOf(resolveModel(request, settings, env, () => undefined));
  } catch (error) {
    // Nothing by this name, or no key for it: nothing can be sent without more being said.
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** As a job has it that names no mode; a mode above the ceiling, which no job would get, counts as the ceiling. */
function usualMode(settings: Settings): PermissionMode | null {
  const { profiles, permissionCeiling: ceiling } = settings;
  const name = defaultProfile(settings);
  const profile = name !== null && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const mode = profile?.permissionMode ?? settings.permissionMode;
  return mode === null || (ceiling !== null && isAbove(mode, ceiling)) ? ceiling : mode;
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
    permissionMode: usualMode(settings),
    applyAsk: settings.apply.ask,
  };
}
