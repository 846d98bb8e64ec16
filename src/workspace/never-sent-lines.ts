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
/** A shorter line could stand anywhere: it is known only where it stands alone. */
const SHORTEST = 12;
/** What stands alone in a thousand files says nothing of this one. */
const SHORTEST_ALONE = 4;
const COMMON =
  /^\W*(?:\w{0,2}|begin|break|case|catch|const|continue|default|done|else|elif|endif|esac|except|exit|export|false|finally|import|loop|none|null|pass|private|protected|public|rescue|retry|return|self|static|then|this|true|void|yield|undefined)\W*$/i;
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
    const found = await neverSentFiles(root, isNeverSent, limits.entries);
    left.push(...found.unseen);
    for (const path of found.paths) {
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
  const whole = [...lines].map((value) => ({
    ...({ value, kind: 'never-sent', whole: true } as const),
    ...(value.length < SHORTEST ? ({ alone: true } as const) : {}),
  }));
  return { secrets: [...values, ...whole], files, left: [...new Set(left)] };
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => line.trim().match(PARTS) ?? [])
    .map((part) => part.trim())
    .filter((part) => part.length >= SHORTEST || (part.length >= SHORTEST_ALONE && !COMMON.test(part)));
}

const PARTS = new RegExp(`.{1,${LONGEST}}`, 'gsu');

/**
 * The regular files below a folder that are never sent, relative to it, and the folders that were not looked into. Links
 * are not followed; what belongs to git and to packages is passed over.
 */
export async function neverSentFiles(
  root: string,
  isNeverSent: NeverSent,
  mostEntries = LIMITS.entries,
): Promise<{ readonly paths: readonly string[]; readonly unseen: readonly string[] }> {
  const found: string[] = [];
  const unseen: string[] = [];
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
      unseen.push(folder === '' ? root : folder);
    }
    if (entries > mostEntries) {
      unseen.push(...folders);
      break;
    }
  }
  return { paths: found.sort(), unseen };
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
