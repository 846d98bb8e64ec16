import { trimLine } from '../../job/format.ts';
import { EXIT } from '../../job/user-error.ts';
import { modelText } from '../../provider/allowed-models.ts';
import { configPath, readConfig } from '../../provider/config-file.ts';
import { type EffectiveConfig, effectiveConfig, flatten } from '../../provider/effective-config.ts';
import { readLegacyEnvironment } from '../../provider/legacy-environment.ts';
import { findProjectRoot, namesText } from '../../provider/project-file.ts';
import { DEFAULT_SETTINGS } from '../../provider/settings.ts';
import type { CommandContext, Output } from '../command.ts';
import { describeProfiles } from './describe-profiles.ts';
import { profileLines } from './profile-lines.ts';

/** `config show`: every setting, its value and where it comes from; secrets masked. Reading is for everyone. */
export async function showConfig(context: CommandContext): Promise<Output> {
  const { env, cwd } = context;
  const effective = effectiveConfig({ env, projectRoot: findProjectRoot(cwd) });
  const profiles = describeProfiles(context);
  const unknown = Object.keys(readConfig(env)).filter(
    (key) => key !== 'statusline' && !Object.hasOwn(DEFAULT_SETTINGS, key),
  );
  const legacy = profiles.length === 0 ? readLegacyEnvironment(env).model : null;
  const warnings = [
    ...effective.warnings,
    ...(legacy === null
      ? []
      : [`without a profile the model is ${trimLine(modelText(legacy), 60)}, from DELEGATE_MODEL`]),
    ...unknownNotice(unknown),
  ];
  for (const warning of warnings) context.stderr(`cc-delegate: ${warning}`);
  const settings = Object.fromEntries(
    rows(effective).map(({ key, value, origin }) => [key, { value, origin }]),
  );
  const lines = [configPath(env), ...rows(effective).map(line)];
  if (profiles.length > 0) lines.push('profiles', ...(await profileLines(context, profiles)));
  return {
    json: { path: configPath(env), settings, profiles, warnings },
    text: lines.join('\n'),
    exit: EXIT.done,
  };
}

function unknownNotice(keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const [are, they] = keys.length === 1 ? ['is not a setting', 'it is'] : ['are no settings', 'they are'];
  return [`config.yaml: ${namesText(keys)} ${are} of this version; ${they} kept`];
}

interface Row {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}

function rows({ settings, origins }: EffectiveConfig): Row[] {
  return flatten(settings)
    .filter(([key]) => key !== 'profiles' && !key.startsWith('profiles.'))
    .map(([key, value]) => ({ key, value, origin: origins.get(key) ?? 'default' }));
}

function line({ key, value, origin }: Row): string {
  const text = value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
  return `  ${key.padEnd(26)} ${trimLine(text, 38).padEnd(38)} ${origin}`;
}
