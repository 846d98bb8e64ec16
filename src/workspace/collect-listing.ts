import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import type { Collector } from './collector.ts';
import { fields } from './git.ts';
import { absoluteBytes, nulList, type RawPath, rawPath, readable } from './raw-path.ts';

/** One entry of the base: what an index says of a path. */
export interface Entry {
  readonly mode: string;
  readonly object: string;
}

/** `ls-files -s -z`: `<mode> <object> <stage>\t<path>`. */
export async function readIndex(collector: Collector): Promise<Map<RawPath, Entry>> {
  const answer = await collector.host(['ls-files', '-s', '-z']);
  return new Map(
    fields(answer.stdout).map((field) => {
      const text = field.toString('latin1');
      const [mode = '', object = ''] = text.split(' ', 2);
      return [text.slice(text.indexOf('\t') + 1) as RawPath, { mode, object }];
    }),
  );
}

/** Index entries as `update-index -z --index-info` reads them; null removes a path. */
export async function setEntries(
  collector: Collector,
  entries: Iterable<readonly [RawPath, Entry | null]>,
  objectLength: number,
): Promise<void> {
  const nothing: Entry = { mode: '0', object: '0'.repeat(objectLength) };
  const lines = [...entries].map(([path, entry]) => {
    const { mode, object } = entry ?? nothing;
    return `${mode} ${object}\t${path}\0`;
  });
  if (lines.length === 0) return;
  const input = Buffer.from(lines.join(''), 'latin1');
  await collector.host(['update-index', '-z', '--index-info'], { input });
}

/** What stands at a path of the workspace now. Parents are no links: git has seen to that. */
export type Found =
  | { readonly kind: 'file'; readonly size: number; readonly executable: boolean }
  | { readonly kind: 'link' }
  | { readonly kind: 'unreadable' }
  /** A folder, a pipe, a socket, a device, or nothing. */
  | { readonly kind: 'other'; readonly what: string };

export async function lookAt(workspace: string, path: RawPath): Promise<Found> {
  const absolute = absoluteBytes(workspace, path);
  try {
    const stat = await lstat(absolute);
    if (stat.isSymbolicLink()) return { kind: 'link' };
    if (!stat.isFile()) return { kind: 'other', what: nameKind(stat) };
    await access(absolute, constants.R_OK);
    return { kind: 'file', size: stat.size, executable: (stat.mode & 0o100) !== 0 };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES' || code === 'EPERM') return { kind: 'unreadable' };
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'other', what: 'nothing' };
    throw error;
  }
}

function nameKind(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}

export interface NewFiles {
  readonly paths: readonly RawPath[];
  /** Repositories the worker made in its workspace; their files are in `paths` as plain files. */
  readonly nested: readonly string[];
}

const DEEPEST_NESTING = 8;

/** Files that are neither in the collector's index nor ignored, nested repositories walked as plain folders. */
export async function listNew(collector: Collector, workspace: string): Promise<NewFiles> {
  const found = await listIn(collector, workspace, '' as RawPath, 0);
  const inNested = found.paths.filter((path) => found.nested.some((top) => path.startsWith(top)));
  const ignored = await ignoredAmong(collector, inNested);
  return {
    paths: found.paths.filter((path) => !ignored.has(path)),
    nested: found.nested.map((path) => readable(path)),
  };
}

/** git lists a nested repository as its folder with a slash: it is then listed as a work tree of its own. */
async function listIn(
  collector: Collector,
  workspace: string,
  top: RawPath,
  depth: number,
): Promise<{ paths: RawPath[]; nested: RawPath[] }> {
  const workTree =
    depth === 0 ? workspace : absoluteBytes(workspace, top).toString('utf8').replace(/\/$/, '');
  const env: Record<string, string> = depth === 0 ? {} : { GIT_INDEX_FILE: `${collector.gitDir}/no-index` };
  const answer = await collector.inside(['ls-files', '-z', '--others', '--exclude-standard'], {
    workTree,
    env,
  });
  const listed = fields(answer.stdout).map((field) => `${top}${rawPath(field)}` as RawPath);
  const paths = listed.filter((path) => !path.endsWith('/'));
  const nested = listed.filter((path) => path.endsWith('/'));
  if (depth === DEEPEST_NESTING) return { paths, nested };
  const below = [];
  for (const folder of nested) below.push(await listIn(collector, workspace, folder, depth + 1));
  return {
    paths: [...paths, ...below.flatMap((part) => part.paths)],
    nested: [...nested, ...below.flatMap((part) => part.nested)],
  };
}

/** A nested repository does not see the ignore rules above it; the user's own repository does. */
async function ignoredAmong(collector: Collector, paths: readonly RawPath[]): Promise<Set<RawPath>> {
  if (paths.length === 0) return new Set();
  const args = ['check-ignore', '-z', '--stdin', '--no-index'];
  const answer = await collector.inside(args, { input: nulList(paths), accept: [0, 1] });
  return new Set(fields(answer.stdout).map((field) => rawPath(field)));
}

/** New files that an ignore rule keeps out, whole folders as one entry with a slash. */
export async function listIgnored(collector: Collector): Promise<RawPath[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const answer = await collector.inside(args);
  return fields(answer.stdout).map((field) => rawPath(field));
}
