import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PERMISSION_MODES } from '../../job/permission-mode.ts';
import { writeAtomic } from '../../store/atomic-file.ts';
import { ensureFolder } from '../../store/folders.ts';
import { type Bounds, DEFAULT_BOUNDS } from './bounds.ts';

/**
 * The settings a hook needs, in a form it can read without a YAML parser. Written by the program whenever it has read
 * the settings; it holds the digest of the text it was made from, so that a change made by other means is seen.
 */
export function readBounds(userDir: string): Bounds | null {
  const text = settingsText(userDir);
  // Without a file a key in the environment may still lead somewhere, which the program has found out.
  const kept = readKept(userDir);
  if (kept !== null && kept.digest === digestOf(text)) return kept.bounds;
  return text === '' ? DEFAULT_BOUNDS : null;
}

/** Has the program ever left bounds here? */
export function hasBounds(userDir: string): boolean {
  return textOf(boundsPath(userDir)) !== '';
}

/** Keeps the bounds for the hooks. Throws UserError `storage`. */
export function writeBounds(userDir: string, bounds: Bounds): void {
  const digest = digestOf(settingsText(userDir));
  const text = `${JSON.stringify({ digest, bounds })}\n`;
  if (text === textOf(boundsPath(userDir))) return;
  ensureFolder(userDir);
  writeAtomic(boundsPath(userDir), text, { durable: false });
}

/** `config.yaml` as it is; '' without one. */
export function settingsText(userDir: string): string {
  return textOf(join(userDir, 'config.yaml'));
}

export function digestOf(text: string): string {
  // Asked for here, not above: a session's start needs the settings' text only, and loading this takes a tenth of it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(text).digest('hex');
}

function boundsPath(userDir: string): string {
  return join(userDir, 'bounds.json');
}

function readKept(userDir: string): { readonly digest: string; readonly bounds: Bounds } | null {
  try {
    const { digest, bounds } = JSON.parse(textOf(boundsPath(userDir)));
    return typeof digest === 'string' && isBounds(bounds) ? { digest, bounds } : null;
  } catch {
    // Never written, or cut short: then nothing is known, and the person is asked.
    return null;
  }
}

function isBounds(value: unknown): value is Bounds {
  if (typeof value !== 'object' || value === null) return false;
  const { mode, perJob, limits, pass, addDirs, permissionMode, sendsTo } = value as Record<string, unknown>;
  const isMode = mode === 'off' || mode === 'ondemand' || mode === 'auto';
  return (
    isMode &&
    typeof perJob === 'number' &&
    typeof limits === 'object' &&
    limits !== null &&
    Array.isArray(pass) &&
    Array.isArray(addDirs) &&
    (permissionMode === null || PERMISSION_MODES.some((each) => each === permissionMode)) &&
    Array.isArray(sendsTo)
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there, or not readable: the program says what is wrong with it; for us there is no text.
    return '';
  }
}
