import { join } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { EXIT, UserError } from '../job/user-error.ts';
import { homeDirectory, type PathEnvironment, userDirectory } from '../store/paths.ts';
import { checkConfig } from './check-config.ts';
import { configSchema, KNOWN_KEYS, type UserConfig } from './config-schema.ts';
import { explainIssue } from './explain-issue.ts';
import { readUserFile, updateUserFile } from './user-file.ts';
import { parseYaml, removeKey, valuesOf, yamlText } from './yaml-text.ts';

/** Where the user's settings are. */
export function configPath(env: PathEnvironment): string {
  return join(userDirectory(env), 'config.yaml');
}

/**
 * What the user wrote, read afresh at each call; empty without a file. `~` is expanded. Throws UserError: exit 6
 * for a file that is not YAML or unreadable, exit 2 for a value that is not valid, with key, value and what is.
 */
export function readConfig(env: PathEnvironment): UserConfig {
  const path = configPath(env);
  const text = readUserFile(path);
  if (text === null) return {};
  const config = parseConfig(valuesOf(path, parseYaml(path, text)), path);
  if (config.addDirs === undefined) return config;
  return { ...config, addDirs: config.addDirs.map((folder) => expandHome(folder, env)) };
}

/** `~` and `~/x` as a path; anything else as it is. */
export function expandHome(path: string, env: PathEnvironment): string {
  if (path !== '~' && !path.startsWith('~/')) return path;
  return join(homeDirectory(env), path.slice(1));
}

/** A change of the file's document; throws UserError to refuse it. `before` parses what stands there now. */
export type ConfigEdit = (document: Document, before: () => UserConfig) => void;

/**
 * Changes `config.yaml`: comments, order and unknown keys stay; nothing is written when the file is corrupt or
 * when the outcome would not be valid. Throws UserError (exit 2 or 6).
 */
export async function editConfig(env: PathEnvironment, edit: ConfigEdit): Promise<void> {
  const path = configPath(env);
  await updateUserFile(path, (text) => {
    const document = parseYaml(path, text ?? '');
    const before = JSON.stringify(valuesOf(path, document));
    edit(document, () => parseConfig(valuesOf(path, document), path));
    const after = valuesOf(path, document);
    checkConfig(parseConfig(after, path));
    return text !== null && JSON.stringify(after) === before ? text : yamlText(document);
  });
}

/**
 * Sets one key, e.g. `budget.perJob` to `3`. `text` is read as a YAML value; a single one will do where a list is
 * wanted. Throws UserError (exit 2) for a key we do not know and for a value that is not valid.
 */
export async function configSet(env: PathEnvironment, key: string, text: string): Promise<void> {
  const path = knownPath(key);
  await editConfig(env, (document) => {
    const forms = valueForms(text);
    const fits = forms.find((form) => {
      const trial = document.clone();
      trial.setIn(path, form);
      return configSchema.safeParse(valuesOf(key, trial)).success;
    });
    document.setIn(path, fits ?? forms[0]);
  });
}

/** Removes one key, known or not, e.g. `profiles.cheap.prices`. Throws UserError (exit 2) when it is not there. */
export async function configUnset(env: PathEnvironment, key: string): Promise<void> {
  const path = key.split('.');
  await editConfig(env, (document) => {
    if (!document.hasIn(path)) {
      throw new UserError({
        code: 'not_set',
        what: 'this key is not set',
        value: key,
        remedy: 'see what is: cc-delegate config show',
        exit: EXIT.usage,
      });
    }
    removeKey(document, path);
  });
}

function parseConfig(values: Record<string, unknown>, path: string): UserConfig {
  const parsed = configSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  const { key, value, valid } = explainIssue(parsed.error, values);
  const profile = /^profiles\.([^.]+)/.exec(key)?.[1];
  const command = profile === undefined ? `config set ${key} VALUE` : `config profile set ${profile} …`;
  throw new UserError({
    code: 'invalid_config',
    what: `the setting ${key} is not valid`,
    value,
    remedy: `valid is ${valid} (cc-delegate ${command}, or edit ${path})`,
    exit: EXIT.usage,
  });
}

/** What a typed value may mean, most likely first: the YAML value, the text itself, a list of one. */
function valueForms(text: string): unknown[] {
  const parsed = parseDocument(text, { logLevel: 'silent' });
  const value: unknown = parsed.errors.length === 0 ? parsed.toJS() : text;
  const meant = value === null || value === undefined ? text : value;
  return [meant, text, [meant], [text]];
}

function knownPath(key: string): string[] {
  const path = key.split('.');
  if (KNOWN_KEYS.some((pattern) => matches(pattern.split('.'), path))) return path;
  const siblings = KNOWN_KEYS.filter((pattern) => pattern.split('.')[0] === path[0]);
  const group = siblings.length > 0 ? siblings : [...new Set(KNOWN_KEYS.map((each) => each.split('.')[0]))];
  throw new UserError({
    code: 'unknown_key',
    what: 'there is no setting of this name',
    value: key,
    remedy: /key|token|secret/i.test(path.at(-1) ?? '')
      ? 'keys are never kept here: cc-delegate config key set PROFILE'
      : `use one of ${group.join(', ')}`,
    exit: EXIT.usage,
  });
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((step, index) => (step === '*' ? path[index] !== '' : step === path[index]))
  );
}
