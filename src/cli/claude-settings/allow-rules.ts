import { join } from 'node:path';
import * as z from 'zod';
import { EXIT, UserError } from '../../job/user-error.ts';
import { removed as removedFile } from '../../notify/quietly.ts';
import { writeAtomic } from '../../store/atomic-file.ts';
import { ensureFolder } from '../../store/folders.ts';
import { userDirectory } from '../../store/paths.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { addItem, removeItem, removeMember, setMember, textAt } from './json-edit.ts';
import { editSettings, readSettings, removeIfEmpty, type Settings, settingsPath } from './settings-file.ts';
import { type TakingBack, takenBack, takingBackOf, takingBackSchema } from './taking-back.ts';

/** The verbs that only read: nothing they do needs a question to the person. */
const READING_VERBS = [
  'status',
  'progress',
  'wait',
  'result',
  'diff',
  'log',
  'list',
  'models',
  'spend',
  'doctor',
] as const;

/** What is offered for `permissions.allow` of Claude Code's user settings. */
export const OFFERED_RULES: readonly string[] = READING_VERBS.map((verb) => `Bash(cc-delegate ${verb}:*)`);

const PERMISSIONS = 'permissions';
const ALLOW = 'allow';
const RECORD_MAX_BYTES = 256 * 1024;

/** What `add` did, so that `remove` takes back this and nothing else. */
const recordSchema = z.object({
  schema: z.literal(1),
  settings: z.string(),
  added: z.array(z.string()),
  madeFile: z.boolean(),
  madePermissions: z.boolean(),
  madeAllow: z.boolean(),
  takingBack: takingBackSchema.nullable(),
});
type Added = z.infer<typeof recordSchema>;

export interface RulesState {
  readonly settings: string;
  readonly offered: readonly string[];
  /** Those of the offered that are in the settings, ours or the user's own. */
  readonly present: readonly string[];
  /** Those we have added and can take back. */
  readonly ours: readonly string[];
}

/** Reads only. Throws UserError (exit 6) as the settings file does. */
export function rulesState(env: NodeJS.ProcessEnv): RulesState {
  const path = settingsPath(env);
  const allowed = allowedIn(readSettings(path)?.values ?? {});
  const ours = readRecord(userDirectory(env))?.added ?? [];
  return {
    settings: path,
    offered: OFFERED_RULES,
    present: OFFERED_RULES.filter((rule) => allowed.includes(rule)),
    ours: ours.filter((rule) => allowed.includes(rule)),
  };
}

/**
 * Adds the offered rules the user has not got yet; returns those it added. Throws UserError: exit 6 for settings that
 * are no JSON or hold something else where rules go, and for files that cannot be written.
 */
export async function addRules(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const userDir = userDirectory(env);
  const path = settingsPath(env);
  const file = readSettings(path);
  const settings = file?.values ?? {};
  const missing = OFFERED_RULES.filter((rule) => !allowedIn(settings).includes(rule));
  if (missing.length === 0) return [];
  const before = readRecord(userDir);
  const record: Added = {
    schema: 1,
    settings: path,
    added: [...new Set([...(before?.added ?? []), ...missing])],
    madeFile: before?.madeFile ?? file === null,
    madePermissions: before?.madePermissions ?? settings[PERMISSIONS] === undefined,
    madeAllow: before?.madeAllow ?? groupOf(settings[PERMISSIONS])[ALLOW] === undefined,
    takingBack: null,
  };
  // First what undoes it.
  writeRecord(userDir, record);
  let change: TakingBack | null = null;
  await editSettings(path, (text) => {
    const after = withRules(text, missing);
    change = takingBackOf(text, after);
    return after;
  });
  writeRecord(userDir, { ...record, takingBack: before === null ? change : null });
  return missing;
}

/** Removes exactly what `add` added and is still there; returns that. Throws as `add` does. */
export async function removeRules(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const userDir = userDirectory(env);
  const record = readRecord(userDir);
  if (record === null) return [];
  const present = allowedIn(readSettings(record.settings)?.values ?? {});
  const gone = record.added.filter((rule) => present.includes(rule));
  if (gone.length > 0) {
    await editSettings(record.settings, (text) => {
      const exact = takenBack(text, record.takingBack);
      return exact ?? withoutRules(text, gone, record);
    });
    if (record.madeFile) removeIfEmpty(record.settings);
  }
  removedFile(recordPath(userDir));
  return gone;
}

function withRules(text: string, rules: readonly string[]): string {
  if (textAt(text, [PERMISSIONS, ALLOW]) === null) return setMember(text, [PERMISSIONS], ALLOW, rules);
  return rules.reduce((changed, rule) => addItem(changed, [PERMISSIONS, ALLOW], rule), text);
}

function withoutRules(text: string, rules: readonly string[], made: Added): string {
  let changed = rules.reduce((current, rule) => removeItem(current, [PERMISSIONS, ALLOW], rule), text);
  const isEmpty = (path: readonly string[]): boolean => /^[[{]\s*[\]}]$/.test(textAt(changed, path) ?? '');
  if (made.madeAllow && isEmpty([PERMISSIONS, ALLOW])) changed = removeMember(changed, [PERMISSIONS], ALLOW);
  if (made.madePermissions && isEmpty([PERMISSIONS])) changed = removeMember(changed, [], PERMISSIONS);
  return changed;
}

/** Throws when there is something that rules cannot be added to. */
function allowedIn(settings: Settings): readonly unknown[] {
  const allow = groupOf(settings[PERMISSIONS])[ALLOW] ?? [];
  if (!Array.isArray(allow)) throw notARuleList();
  return allow;
}

function groupOf(value: unknown): Settings {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw notARuleList();
}

function notARuleList(): UserError {
  return new UserError({
    code: 'corrupt_settings',
    what: 'the settings of Claude Code hold something else than a list of rules',
    value: `${PERMISSIONS}.${ALLOW}`,
    remedy: 'correct it there, then run the command again; nothing was changed',
    exit: EXIT.environment,
  });
}

function recordPath(userDir: string): string {
  return join(userDir, 'allow-rules.json');
}

function readRecord(userDir: string): Added | null {
  const file = readSmallFile(recordPath(userDir), RECORD_MAX_BYTES);
  if (file.kind !== 'ok') return null;
  try {
    return recordSchema.parse(JSON.parse(file.text));
  } catch {
    // Broken: then nothing is known to be ours, and nothing is taken away.
    return null;
  }
}

function writeRecord(userDir: string, record: Added): void {
  ensureFolder(userDir);
  writeAtomic(recordPath(userDir), `${JSON.stringify(record, null, 2)}\n`, { durable: true });
}
