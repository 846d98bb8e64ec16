import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { installLauncher, launcherPaths, removeLauncher } from '../../notify/line/launcher.ts';
import { removed } from '../../notify/quietly.ts';
import { writeAtomic } from '../../store/atomic-file.ts';
import { ensureFolder } from '../../store/folders.ts';
import { userDirectory } from '../../store/paths.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { removeMember, setMember, setMemberText, textAt } from './json-edit.ts';
import { editSettings, readSettings, removeIfEmpty, type Settings, settingsPath } from './settings-file.ts';
import { type TakingBack, takenBack, takingBackOf, takingBackSchema } from './taking-back.ts';

/** Seconds between two runs while the client is idle; without it there are none, and a count would grow old. */
const REFRESH_SECONDS = 2;
const KEY = 'statusLine';
const BACKUP_MAX_BYTES = 256 * 1024;

const backupSchema = z.object({
  schema: z.literal(1),
  /** The settings file that was changed. */
  settings: z.string(),
  madeFile: z.boolean(),
  /** The value that stood there, as text; null when there was none. */
  before: z.string().nullable(),
  takingBack: takingBackSchema.nullable(),
});
type Backup = z.infer<typeof backupSchema>;

export type StatusLineState =
  | { readonly kind: 'ours'; readonly wraps: string | null }
  | { readonly kind: 'other'; readonly command: string | null }
  | { readonly kind: 'none' };

/** Whose status line Claude Code's user settings name now. Throws UserError (exit 6) as the settings file does. */
export function statusLineState(env: NodeJS.ProcessEnv): StatusLineState {
  return stateOf(env, readSettings(settingsPath(env))?.values ?? {});
}

function stateOf(env: NodeJS.ProcessEnv, settings: Settings): StatusLineState {
  const value = settings[KEY];
  if (value === undefined || value === null) return { kind: 'none' };
  const command = commandOf(value);
  const paths = launcherPaths(userDirectory(env));
  if (command === null || !isOurs(command, env)) return { kind: 'other', command };
  const wraps = command === commandFor(paths.wrapped) && existsSync(paths.command);
  return { kind: 'ours', wraps: wraps ? readFileSync(paths.command, 'utf8').trimEnd() : null };
}

export interface Installed {
  readonly settings: string;
  readonly command: string;
  readonly wraps: string | null;
  readonly changed: boolean;
}

/**
 * Puts our status line into Claude Code's user settings. An existing line is wrapped: its command runs first, with the
 * same input; its whole value is kept for `uninstall`. To do it again changes nothing. `wrap` names another command.
 * Throws UserError: exit 6 for settings that are no JSON, and for files that cannot be written.
 */
export async function installStatusLine(
  env: NodeJS.ProcessEnv,
  pluginRoot: string,
  wrap: string | undefined,
): Promise<Installed> {
  const userDir = userDirectory(env);
  const paths = launcherPaths(userDir);
  const path = settingsPath(env);
  const before = readSettings(path);
  const state = stateOf(env, before?.values ?? {});
  const wraps = wrap ?? (state.kind === 'ours' ? state.wraps : state.kind === 'other' ? state.command : null);
  const command = commandFor(wraps === null ? paths.alone : paths.wrapped);
  installLauncher(userDir, pluginRoot);
  if (wraps !== null) writeAtomic(paths.command, `${wraps}\n`, { durable: false });
  const old = state.kind === 'ours' ? (readBackup(userDir)?.before ?? null) : textOf(before?.text, KEY);
  const backup: Backup = {
    schema: 1,
    settings: path,
    madeFile: state.kind === 'ours' ? (readBackup(userDir)?.madeFile ?? false) : before === null,
    before: old,
    takingBack: state.kind === 'ours' ? (readBackup(userDir)?.takingBack ?? null) : null,
  };
  // First what undoes it.
  writeBackup(userDir, backup);
  let change: TakingBack | null = null;
  await editSettings(path, (text, settings) => {
    const value = lineValue(settings[KEY], command);
    if (JSON.stringify(settings[KEY]) === JSON.stringify(value)) return text;
    const after = setMember(text, [], KEY, value);
    change = takingBackOf(text, after);
    return after;
  });
  if (change !== null) writeBackup(userDir, { ...backup, takingBack: state.kind === 'ours' ? null : change });
  return { settings: path, command, wraps, changed: change !== null };
}

/**
 * Puts back exactly what stood there before, and removes what `install` made. A line that somebody has put in place of
 * ours since stays. Throws UserError (exit 6) as `install` does.
 */
export async function uninstallStatusLine(
  env: NodeJS.ProcessEnv,
): Promise<'removed' | 'replaced' | 'absent'> {
  const userDir = userDirectory(env);
  const backup = readBackup(userDir);
  const path = backup?.settings ?? settingsPath(env);
  const state = stateOf(env, readSettings(path)?.values ?? {});
  if (state.kind === 'ours') {
    await editSettings(path, (text) => {
      const exact = takenBack(text, backup?.takingBack ?? null);
      if (exact !== null) return exact;
      if (backup === null || backup.before === null) return removeMember(text, [], KEY);
      return setMemberText(text, KEY, backup.before);
    });
    if (backup?.madeFile === true) removeIfEmpty(path);
  }
  removeLauncher(userDir);
  removed(backupPath(userDir));
  if (state.kind === 'ours') return 'removed';
  return backup === null ? 'absent' : 'replaced';
}

/** What the client is to run: a shell command, so a path is quoted where it has to be. */
function commandFor(path: string): string {
  const plain = /^[A-Za-z0-9_@%+=:,./-]+$/.test(path);
  return `sh ${plain ? path : `'${path.replaceAll("'", `'\\''`)}'`}`;
}

function isOurs(command: string, env: NodeJS.ProcessEnv): boolean {
  const { alone, wrapped } = launcherPaths(userDirectory(env));
  return command === commandFor(alone) || command === commandFor(wrapped);
}

/** Padding and the like of the line that is wrapped stay as they were. */
function lineValue(before: unknown, command: string): Settings {
  const kept = isGroup(before) ? before : {};
  const { refreshInterval } = kept;
  const fast =
    typeof refreshInterval === 'number' && refreshInterval >= 1 && refreshInterval <= REFRESH_SECONDS;
  return { ...kept, type: 'command', command, refreshInterval: fast ? refreshInterval : REFRESH_SECONDS };
}

function commandOf(value: unknown): string | null {
  if (!isGroup(value) || value.type !== 'command') return null;
  return typeof value.command === 'string' && value.command.trim() !== '' ? value.command : null;
}

function isGroup(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(text: string | undefined, key: string): string | null {
  return text === undefined ? null : textAt(text, [key]);
}

function backupPath(userDir: string): string {
  return join(userDir, 'statusline.json');
}

function readBackup(userDir: string): Backup | null {
  const file = readSmallFile(backupPath(userDir), BACKUP_MAX_BYTES);
  if (file.kind !== 'ok') return null;
  try {
    return backupSchema.parse(JSON.parse(file.text));
  } catch {
    // Broken: then our line can still be told, and is taken out.
    return null;
  }
}

function writeBackup(userDir: string, backup: Backup): void {
  ensureFolder(userDir);
  writeAtomic(backupPath(userDir), `${JSON.stringify(backup, null, 2)}\n`, { durable: true });
}
