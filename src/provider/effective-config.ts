import type { PathEnvironment } from '../store/paths.ts';
import { readConfig } from './config-file.ts';
import { NO_LEGACY, readLegacyEnvironment } from './legacy-environment.ts';
import { readProjectFile } from './project-file.ts';
import { DEFAULT_SETTINGS, type Layer, layOver, type Settings, userLayer } from './settings.ts';

/** Which layer a value comes from, weakest first. */
type Origin = 'default' | 'user' | 'project' | 'environment' | 'flag';

export interface EffectiveConfig {
  readonly settings: Settings;
  /** By key path, e.g. `budget.perJob`; what is missing here is a default. Profiles are listed as `profiles.<name>`. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** What was ignored and should be said, one line each. */
  readonly warnings: readonly string[];
}

export interface ConfigSources {
  readonly env: PathEnvironment;
  /** The root of the repository, for the project's file; null outside of one. */
  readonly projectRoot: string | null;
  /** What the command line says. */
  readonly flags?: Layer;
}

/**
 * Defaults, then the user's file, the project's, the environment (the older variables, only while no profile is
 * defined), then the flags. Read afresh at each call. Throws UserError (exit 2 or 6) as the readers do.
 */
export function effectiveConfig(sources: ConfigSources): EffectiveConfig {
  const user = readConfig(sources.env);
  const project =
    sources.projectRoot === null ? { config: {}, warnings: [] } : readProjectFile(sources.projectRoot);
  const hasProfiles = Object.keys(user.profiles ?? {}).length > 0;
  const legacy = hasProfiles ? NO_LEGACY : readLegacyEnvironment(sources.env);
  return {
    ...mergeLayers([
      ['user', userLayer(user)],
      ['project', project.config],
      ['environment', legacy.settings],
      ['flag', sources.flags ?? {}],
    ]),
    warnings: project.warnings,
  };
}

/** Lays the layers over the defaults, weakest first, and remembers where each value comes from. Pure. */
function mergeLayers(
  layers: readonly (readonly [Origin, Layer])[],
): Pick<EffectiveConfig, 'settings' | 'origins'> {
  const origins = new Map<string, Origin>();
  let settings = DEFAULT_SETTINGS;
  for (const [origin, layer] of layers) {
    settings = layOver(settings, layer);
    for (const [key] of flatten(layer)) origins.set(key, origin);
  }
  return { settings, origins };
}

/** All values with their key paths; a profile, a list and a plain value are one value each. */
export function flatten(settings: Layer | Settings): (readonly [string, unknown])[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[key, value] as const];
    return Object.entries(value)
      .filter(([inner, each]) => each !== undefined && (key === 'profiles' || isKnown(key, inner)))
      .map(([inner, each]) => [`${key}.${inner}`, each] as const);
  });
}

/** Unknown keys of a group are kept in the file, and are no settings. */
function isKnown(group: string, key: string): boolean {
  const known: unknown = Reflect.get(DEFAULT_SETTINGS, group);
  return typeof known === 'object' && known !== null && Object.hasOwn(known, key);
}
