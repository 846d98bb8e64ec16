import { EXIT, UserError } from '../job/user-error.ts';
import { isAllowed } from './allowed-models.ts';
import type { UserConfig } from './config-schema.ts';
import { modelOf } from './profile.ts';
import { parseReference } from './reference.ts';

/**
 * What only the whole of a configuration shows; asked before each write. Throws UserError (exit 2): a default or
 * grader profile that does not exist, a fallback that names nothing, a list of models that strands the default.
 */
export function checkConfig(config: UserConfig): void {
  const names = Object.keys(config.profiles ?? {});
  for (const key of ['defaultProfile', 'graderProfile'] as const) {
    const name = config[key];
    if (name !== undefined && !names.includes(name)) {
      throw invalid(
        `the setting ${key} names a profile that does not exist`,
        name,
        names.length === 0
          ? 'make one: cc-delegate config profile set NAME --provider P --model M'
          : `use one of ${names.join(', ')}`,
      );
    }
  }
  for (const profile of Object.values(config.profiles ?? {})) {
    for (const fallback of profile.fallbacks ?? []) {
      parseReference(fallback, { own: profile.provider, profiles: config.profiles ?? {} });
    }
  }
  const stranded = strandedDefault(config);
  if (stranded !== null) {
    throw invalid(
      `the allowed models do not hold the one of the default profile ${config.defaultProfile}`,
      stranded,
      `allow it too (cc-delegate config allow ${stranded} …), or change the default profile first`,
    );
  }
}

function strandedDefault(config: UserConfig): string | null {
  const profile = config.profiles?.[config.defaultProfile ?? ''];
  if (profile === undefined) return null;
  const name = { provider: profile.provider, model: modelOf(profile) };
  return isAllowed(config.allowedModels ?? 'all', name) ? null : `${name.provider}:${name.model}`;
}

function invalid(what: string, value: string, remedy: string): UserError {
  return new UserError({ code: 'invalid_config', what, value, remedy, exit: EXIT.usage });
}
