import { chmodSync, statSync, unlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { EXIT, UserError } from '../../job/user-error.ts';
import { readUserFile, updateUserFile } from '../../provider/user-file.ts';
import type { PathEnvironment } from '../../store/paths.ts';
import { errorCode, storageError } from '../../store/storage-error.ts';

const EMPTY = '{}\n';

export type Settings = Readonly<Record<string, unknown>>;

/** The user's own settings of Claude Code: in `CLAUDE_CONFIG_DIR`, else in `~/.claude`. */
export function settingsPath(env: PathEnvironment): string {
  const own = env.CLAUDE_CONFIG_DIR;
  if (own !== undefined && isAbsolute(own)) return join(own, 'settings.json');
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
  return join(home, '.claude', 'settings.json');
}

/** What stands there now; null when there is no file. Throws UserError (exit 6) for what is no JSON object. */
export function readSettings(path: string): { readonly text: string; readonly values: Settings } | null {
  const text = readUserFile(path);
  return text === null ? null : { text, values: parse(path, text) };
}

/**
 * Changes the file by its text, so that everything else keeps its bytes: in one step, through a symbolic link, mode
 * kept. `edit` gets `{}` when there is no file. Throws UserError (exit 6) for a file that is no JSON object, and then
 * it is as it was.
 */
export async function editSettings(
  path: string,
  edit: (text: string, values: Settings) => string,
): Promise<void> {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  // No file is made to hold nothing.
  if (mode === undefined && edit(EMPTY, {}) === EMPTY) return;
  let isChanged = false;
  await updateUserFile(path, (found) => {
    const text = found === null || found.trim() === '' ? EMPTY : found;
    const after = edit(text, parse(path, text));
    isChanged = after !== text;
    if (isChanged) parse(path, after);
    return isChanged || found === null ? after : found;
  });
  if (isChanged && mode !== undefined) chmodSync(path, mode & 0o777);
}

/** Removes a file that holds nothing any more. Throws UserError `storage`. */
export function removeIfEmpty(path: string): void {
  if (Object.keys(readSettings(path)?.values ?? { kept: true }).length > 0) return;
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw storageError('write', path, error);
  }
}

function parse(path: string, text: string): Settings {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw broken(path, text, error instanceof Error ? error.message : '');
  }
  if (isSettings(value)) return value;
  throw broken(path, text, '');
}

function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Line and column, nothing of the text: it may hold a secret. */
function broken(path: string, text: string, message: string): UserError {
  const at = /position (\d+)/.exec(message)?.[1];
  const before = at === undefined ? null : text.slice(0, Number(at)).split('\n');
  const place = before === null ? path : `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  return new UserError({
    code: 'corrupt_settings',
    what: 'the settings of Claude Code are not valid JSON',
    value: place,
    remedy: 'correct them there, then run the command again; nothing was changed',
    exit: EXIT.environment,
  });
}
