import { chmodSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomic } from '../../store/atomic-file.ts';
import { ensureFolder } from '../../store/folders.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { errorCode, storageError } from '../../store/storage-error.ts';

/** What Claude Code's settings may name: copies in the user's folder, since the plugin's own folder changes its name. */
export interface LauncherPaths {
  readonly alone: string;
  readonly wrapped: string;
  /** The user's own command, as a script; only beside `wrapped`. */
  readonly command: string;
}

const NAMES = ['cc-delegate-statusline', 'cc-delegate-statusline-wrapped'] as const;
const SCRIPT_MAX_BYTES = 256 * 1024;

export function launcherPaths(userDir: string): LauncherPaths {
  const [alone, wrapped] = NAMES;
  return {
    alone: join(userDir, 'bin', alone),
    wrapped: join(userDir, 'bin', wrapped),
    command: join(userDir, 'statusline-wrapped'),
  };
}

/** Copies the readers of the status line to the user's folder. Throws UserError `storage`. */
export function installLauncher(userDir: string, pluginRoot: string): void {
  const { alone } = launcherPaths(userDir);
  ensureFolder(dirname(alone));
  for (const name of NAMES) {
    const source = join(pluginRoot, 'bin', name);
    const target = join(dirname(alone), name);
    const text = readSource(source);
    const there = readSmallFile(target, SCRIPT_MAX_BYTES);
    if (there.kind === 'ok' && there.text === text) continue;
    writeAtomic(target, text, { durable: false });
    chmodSync(target, 0o700);
  }
}

/**
 * Brings copies that are there up to date; for the start of a session, after an update of the plugin. Says whether it
 * changed any. Never throws: the old ones go on working.
 */
export function refreshLauncher(userDir: string, pluginRoot: string): boolean {
  try {
    const { alone } = launcherPaths(userDir);
    const there = readSmallFile(alone, SCRIPT_MAX_BYTES);
    if (there.kind !== 'ok') return false;
    const isSame = NAMES.every((name) => {
      const copy = readSmallFile(join(dirname(alone), name), SCRIPT_MAX_BYTES);
      return copy.kind === 'ok' && copy.text === readSource(join(pluginRoot, 'bin', name));
    });
    if (isSame) return false;
    installLauncher(userDir, pluginRoot);
    return true;
  } catch {
    // The format of the lines says its version, so an old reader shows nothing rather than something wrong.
    return false;
  }
}

/** Removes the copies and the user's command beside them. Throws UserError `storage`. */
export function removeLauncher(userDir: string): void {
  const { alone, wrapped, command } = launcherPaths(userDir);
  for (const path of [alone, wrapped, command]) {
    try {
      unlinkSync(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw storageError('write', path, error);
    }
  }
  try {
    rmdirSync(dirname(alone));
  } catch {
    // It holds something else, or was never there.
  }
}

function readSource(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw storageError('read', path, error);
  }
}
