import { lstat, opendir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { envFileSecrets, type KnownSecret } from '../job/redaction/known.ts';
import { isBinary } from './files-text.ts';
import type { NeverSent } from './never-send.ts';

/** What is taken out of the worker's tool results, and how much could not be. */
export interface NeverSentLines {
  readonly secrets: readonly KnownSecret[];
  readonly files: number;
  /** Files whose lines, or the rest of them, are not known: too big, binary, unreadable, or beyond the limits. */
  readonly left: readonly string[];
}

export interface LineLimits {
  readonly entries: number;
  readonly fileBytes: number;
  readonly lines: number;
}

/** So many lines make a table of about 30 MB; more would slow down every tool. */
const LIMITS: LineLimits = { entries: 100_000, fileBytes: 1_000_000, lines: 4_000 };
/** A shorter line could stand anywhere. */
const SHORTEST = 12;
/** A text may be cut within a line: what is longer is known in parts. */
const LONGEST = 120;

const SKIPPED = new Set(['.git', 'node_modules', '.cc-delegate']);

/**
 * The lines of the files below these roots that are never sent, and the values of `NAME=value` lines among them. Links
 * are not followed. What cannot be read is named, not thrown.
 */
export async function neverSentLines(
  roots: readonly string[],
  isNeverSent: NeverSent,
  limits: LineLimits = LIMITS,
): Promise<NeverSentLines> {
  const lines = new Set<string>();
  const values: KnownSecret[] = [];
  const left: string[] = [];
  let files = 0;
  for (const root of roots) {
    for (const path of await matching(root, isNeverSent, limits.entries, left)) {
      const text = await textOf(join(root, path), limits.fileBytes);
      if (text === null) {
        left.push(path);
        continue;
      }
      files += 1;
      values.push(...envFileSecrets(text));
      const more = linesOf(text).filter((line) => !lines.has(line));
      for (const line of more.slice(0, limits.lines - lines.size)) lines.add(line);
      if (more.some((line) => !lines.has(line))) left.push(path);
    }
  }
  const whole = [...lines].map((value) => ({ value, kind: 'never-sent', whole: true }) as const);
  return { secrets: [...values, ...whole], files, left: [...new Set(left)] };
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => line.trim().match(PARTS) ?? [])
    .map((part) => part.trim())
    .filter((part) => part.length >= SHORTEST);
}

const PARTS = new RegExp(`.{1,${LONGEST}}`, 'gsu');

async function matching(
  root: string,
  isNeverSent: NeverSent,
  mostEntries: number,
  left: string[],
): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for await (const entry of await opendir(join(root, folder))) {
        entries += 1;
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
        else if (entry.isFile() && isNeverSent(path)) found.push(path);
      }
    } catch {
      // A folder that may not be read, or went while we looked: the worker cannot read it either, or it is named.
      left.push(folder === '' ? root : folder);
    }
    if (entries > mostEntries) {
      left.push(...folders);
      break;
    }
  }
  return found.sort();
}

async function textOf(path: string, most: number): Promise<string | null> {
  try {
    if ((await lstat(path)).size > most) return null;
    const bytes = await readFile(path);
    return isBinary(bytes) ? null : bytes.toString('utf8');
  } catch {
    // Not to be read by us; whoever asks is told that it is left.
    return null;
  }
}
