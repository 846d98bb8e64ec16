import { join, resolve } from 'node:path';
import { EXIT, UserError } from '../../job/user-error.ts';
import { hostOf } from '../../provider/base-url.ts';
import { editConfig, readConfig } from '../../provider/config-file.ts';
import { olderKey, readCredentials, readOlderCredentials, setKey } from '../../provider/credentials.ts';
import { endpointOf, keyQuestion } from '../../provider/endpoint.ts';
import { findKey } from '../../provider/find-key.ts';
import { type ImportedProfile, type ImportPlan, planImport } from '../../provider/older-product.ts';
import { modelOf, type Profile } from '../../provider/profile.ts';
import { ownProfile } from '../../provider/reference.ts';
import { readUserFile } from '../../provider/user-file.ts';
import { userDirectory } from '../../store/paths.ts';
import type { CommandContext, Output } from '../command.ts';
import { atMost, parseVerb } from '../parse.ts';

/**
 * `config import [DIR]`: profiles and keys of the older Python product, from its `config.json` and `credentials.json`.
 * Those files stay as they are. A profile that is there already stays, unless `--force`. Throws UserError: exit 6 when
 * there is nothing to import, or it cannot be read.
 */
export async function importVerb(context: CommandContext, args: readonly string[]): Promise<Output> {
  const options = { force: { type: 'boolean' }, 'dry-run': { type: 'boolean' } } as const;
  const { values, positionals } = parseVerb(args, options);
  atMost(positionals, 1);
  const userDir = userDirectory(context.env);
  const folder = resolve(context.cwd, positionals[0] ?? userDir);
  const plan = readPlan(join(folder, 'config.json'));
  const before = readConfig(context.env);
  const taken = plan.profiles.filter(
    ({ name }) => values.force === true || before.profiles?.[name] === undefined,
  );
  const kept = plan.profiles.filter((each) => !taken.includes(each)).map(({ name }) => name);
  const isDry = values['dry-run'] === true;
  if (!isDry)
    await writeProfiles(context, taken, before.defaultProfile === undefined ? plan.defaultProfile : null);
  const keys = isDry
    ? { saved: [], notices: [] }
    : await takeKeys(
        context,
        [...taken, ...keyless(context, plan.profiles, taken)],
        folder === userDir ? null : join(folder, 'credentials.json'),
      );
  const notices = [...plan.notices, ...keys.notices];
  const lines = [
    ...taken.map(
      ({ name, profile }) =>
        `${isDry ? 'would take' : 'took'} ${name}: ${profile.provider}:${modelOf(profile)}`,
    ),
    ...kept.map((name) => `kept your own ${name}; --force replaces it`),
    ...keys.saved.map((name) => `saved the key of ${name}`),
    ...notices,
    `${folder} was not changed; see: cc-delegate config profile list`,
  ];
  const json = {
    from: folder,
    profiles: taken.map(({ name }) => name),
    kept,
    keys: keys.saved,
    notices,
    dryRun: isDry,
  };
  return { json, text: lines.join('\n'), exit: EXIT.done };
}

function readPlan(path: string): ImportPlan {
  const text = readUserFile(path);
  if (text === null) throw nothing('there is no configuration of the older product here', path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own words would repeat a piece of the file.
    throw nothing('this file is not valid JSON', path);
  }
  const plan = planImport(value);
  if (plan === null) throw nothing('this file is not the configuration of the older product', path);
  return plan;
}

async function writeProfiles(
  context: CommandContext,
  imported: readonly ImportedProfile[],
  defaultProfile: string | null,
): Promise<void> {
  const first = imported[0];
  if (first === undefined) return;
  await editConfig(context.env, (document, before) => {
    for (const { name, profile } of imported)
      document.setIn(['profiles', name], document.createNode(profile));
    if (before().defaultProfile === undefined) document.set('defaultProfile', defaultProfile ?? first.name);
  });
}

/**
 * Keys from another folder are copied. In our own folder the older product's keys are found where they are: under the
 * variable the profile names. A key that cannot be saved is left out, with a notice.
 */
async function takeKeys(
  context: CommandContext,
  imported: readonly ImportedProfile[],
  credentials: string | null,
): Promise<{ readonly saved: readonly string[]; readonly notices: readonly string[] }> {
  const older = credentials === null ? null : readOlderCredentials(credentials);
  const saved: string[] = [];
  const notices: string[] = [];
  for (const { name, profile, key: own } of imported) {
    const key =
      own ?? (older !== null && profile.keyEnv !== undefined ? olderKey(older, profile.keyEnv) : null);
    if (key === null) continue;
    try {
      await saveKey(context, name, profile, key);
      saved.push(name);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      notices.push(`${name}: its key was not saved: ${error.explanation.what}`);
    }
  }
  return { saved, notices };
}

async function saveKey(context: CommandContext, name: string, profile: Profile, key: string): Promise<void> {
  const reference = { provider: profile.provider, model: modelOf(profile), profile: name };
  const entry = { key, provider: profile.provider, host: hostOf(endpointOf(reference, profile).baseUrl) };
  await setKey(context.env, { kind: 'profile', name }, entry, warner(context));
}

/** Of the profiles that were kept, those without a key: as they are now, and for the same place as the older ones. */
function keyless(
  context: CommandContext,
  all: readonly ImportedProfile[],
  taken: readonly ImportedProfile[],
): ImportedProfile[] {
  const profiles = readConfig(context.env).profiles ?? {};
  const credentials = readCredentials(context.env, warner(context));
  return all.flatMap((each) => {
    const profile = ownProfile(profiles, each.name);
    if (taken.includes(each) || profile === undefined || profile.provider !== each.profile.provider)
      return [];
    const reference = { provider: profile.provider, model: modelOf(profile), profile: each.name };
    const [mine, older] = [profile, each.profile].map((one) => endpointOf(reference, one).baseUrl);
    const { key } = findKey(
      keyQuestion(reference, profile, endpointOf(reference, profile)).key,
      credentials,
      context.env,
      null,
    );
    return key === null && hostOf(mine ?? '') === hostOf(older ?? '') ? [each] : [];
  });
}

function warner(context: CommandContext): (line: string) => void {
  return (line) => context.stderr(`cc-delegate: ${line}`);
}

function nothing(what: string, path: string): UserError {
  return new UserError({
    code: 'nothing_to_import',
    what,
    value: path,
    remedy: 'name the folder that holds its config.json: cc-delegate config import DIR',
    exit: EXIT.environment,
  });
}
