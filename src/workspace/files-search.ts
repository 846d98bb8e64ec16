import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { globToRegExp } from './files-glob.ts';
import { limitedMatcher } from './files-match.ts';
import { type Place, placeInside } from './files-path.ts';
import { takeFile } from './files-read.ts';
import { done, type FileResult, Refusal, refusalOf } from './files-result.ts';
import { encodingOf, isBinary } from './files-text.ts';
import type { NeverSent } from './never-send.ts';

const MOST_HITS = 200;
const MOST_PATHS = 500;
const MOST_FILES = 50_000;
const MOST_FILE_BYTES = 2 * 1024 * 1024;
const SHOWN_CHARACTERS = 300;
const MATCH_LIMIT_MS = 2_000;

export interface Search {
  readonly pattern: string;
  readonly glob: string | null;
  readonly isNeverSent: NeverSent;
}

/** The lines that match, as `path:line:text`, in the order of paths. Links are not followed. */
export async function searchFiles(start: Place, { pattern, glob, isNeverSent }: Search): Promise<FileResult> {
  const { root } = start;
  if (!start.exists) throw new Refusal('not_found', `${start.shown} does not exist`);
  const matchLines = limitedMatcher(expressionOf(pattern), MATCH_LIMIT_MS);
  const { paths, cut } = await pathsBelow(start, [pattern === glob ? '' : (glob ?? ''), start.relative]);
  const fitting = glob === null ? paths : chooseByGlob(paths, glob);
  const chosen = fitting.filter((path) => !isNeverSent(path));
  const hits: string[] = [];
  const notes = cut ? [`[only the first ${MOST_FILES} files were looked at; give a path]`] : [];
  const passedOver = fitting.length - chosen.length;
  if (passedOver > 0) notes.push(`[${passedOver} not looked into: the user never lets them be sent]`);
  for (const path of chosen) {
    const lines = await linesOf(root, path);
    const shown = shownAs(start, path);
    for (const index of matchLines(lines)) hits.push(`${shown}:${index + 1}:${shorten(lines[index] ?? '')}`);
    if (hits.length > MOST_HITS) {
      notes.push(`[only the first ${MOST_HITS} lines are shown; narrow the search]`);
      break;
    }
  }
  const shown = hits.slice(0, MOST_HITS);
  const text = shown.length === 0 ? 'nothing matches' : shown.join('\n');
  return done([text, ...notes].join('\n'), `${pattern} (${shown.length} lines)`);
}

/** The files below `start`, the root of what is looked through, whose paths match, sorted. */
export async function findFiles(start: Place, pattern: string): Promise<FileResult> {
  const { root } = start;
  const { paths, cut } = await pathsBelow(start, [pattern]);
  const found = chooseByGlob(
    paths,
    pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern,
  );
  const notes: string[] = [];
  if (cut) notes.push(`[only the first ${MOST_FILES} files were looked at]`);
  if (found.length > MOST_PATHS) notes.push(`[only the first ${MOST_PATHS} of ${found.length} are shown]`);
  const shown = found.slice(0, MOST_PATHS).map((path) => shownAs(start, path));
  const text = shown.length === 0 ? 'no file matches' : shown.join('\n');
  return done([text, ...notes].join('\n'), `${pattern} (${found.length} files)`);
}

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal('bad_pattern', `not a regular expression: ${why}`);
  }
}

function chooseByGlob(paths: readonly string[], glob: string): string[] {
  const chosen = limitedMatcher(globToRegExp(glob), MATCH_LIMIT_MS)(paths);
  return chosen.flatMap((index) => paths[index] ?? []);
}

/** Files at or below `start`, relative to its root, sorted; node_modules only where `asked` names it, .git never. */
async function pathsBelow(
  start: Place,
  asked: readonly string[],
): Promise<{ paths: string[]; cut: boolean }> {
  const skipped = new Set(['.git']);
  if (!asked.some((each) => each.includes('node_modules'))) skipped.add('node_modules');
  const paths: string[] = [];
  const folders = [start.relative];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(join(start.root, folder))) {
      const path = join(folder, entry.name);
      if (entry.kind === 'folder' && !skipped.has(entry.name)) folders.push(path);
      if (entry.kind === 'file') paths.push(path);
      if (paths.length >= MOST_FILES) return { paths: paths.sort(), cut: true };
    }
  }
  const isFile = paths.length === 0 && (await isOneFile(start));
  return { paths: isFile ? [start.relative] : paths.sort(), cut: false };
}

/** A path below the root of `start`, as `start` itself is shown: from the workspace's root, or absolute. */
function shownAs({ root, relative, shown }: Place, path: string): string {
  return shown === relative ? path : join(root, path);
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

async function entriesOf(folder: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
      entries.push({ name: entry.name, kind });
    }
  } catch {
    // A file, a folder that may not be read, or one that went while we looked: nothing to list.
  }
  return entries;
}

async function isOneFile({ root, relative }: Place): Promise<boolean> {
  return relative !== '' && (await linesOf(root, relative)).length > 0;
}

/** Nothing for what is binary, large, or not to be read: a search passes it over. */
async function linesOf(root: string, path: string): Promise<string[]> {
  try {
    const bytes = await takeFile(await placeInside(root, path), MOST_FILE_BYTES);
    return isBinary(bytes) ? [] : bytes.toString(encodingOf(bytes)).split(/\r?\n/);
  } catch (error) {
    // See above: one file that cannot be read does not end the search of the others.
    if (refusalOf(error, path) === null) throw error;
    return [];
  }
}

function shorten(line: string): string {
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}...`;
}
