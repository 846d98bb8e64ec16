import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine, trimLine } from '../job/format.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { settingsText } from './consent/bounds-file.ts';

/** What the user has seen of `config.yaml`: as the program wrote it, or as a session has shown it. */
function seenPath(userDir: string): string {
  return join(userDir, 'settings-seen.yaml');
}

/**
 * The settings as they are now count as seen, unless they had been changed by other means `before` this program wrote:
 * then the person has still to see that. Throws UserError `storage`.
 */
export function rememberSettings(userDir: string, before: string): void {
  const seen = textOf(seenPath(userDir));
  if (seen === null || seen === before) keepSeen(userDir);
}

function keepSeen(userDir: string): void {
  ensureFolder(userDir);
  writeAtomic(seenPath(userDir), settingsText(userDir), { durable: false });
}

const MOST_LINES = 6;

/**
 * A change of the settings that no command of ours made, for the person to see, once; null when there is none. The
 * first time there is nothing to compare with. Throws UserError `storage`.
 */
export function policyDrift(userDir: string): string | null {
  const now = settingsText(userDir);
  const seen = textOf(seenPath(userDir));
  if (seen === now || (seen === null && now === '')) return null;
  keepSeen(userDir);
  if (seen === null) return null;
  const changes = changedLines(seen, now);
  const shown = changes.slice(0, MOST_LINES).map((line) => `  ${trimLine(oneLine(line), 76)}`);
  const more = changes.length > MOST_LINES ? [`  … ${changes.length - MOST_LINES} more lines`] : [];
  return [
    'cc-delegate: your settings (config.yaml) were changed by other means than cc-delegate:',
    ...shown,
    ...more,
  ].join('\n');
}

/** Lines that are only in one of the two: enough to recognise a change by. Pure. */
function changedLines(before: string, after: string): string[] {
  const old = before.split('\n');
  const now = after.split('\n');
  const gone = old.filter((line) => line.trim() !== '' && !now.includes(line));
  const added = now.filter((line) => line.trim() !== '' && !old.includes(line));
  return [...gone.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Nothing was seen yet.
    return null;
  }
}
