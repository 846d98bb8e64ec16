import { matchesJunk } from './collect-junk.ts';
import {
  type Entry,
  type Found,
  listIgnored,
  listNew,
  lookAt,
  readIndex,
  setEntries,
} from './collect-listing.ts';
import type { Collector } from './collector.ts';
import { fields, GitError, line } from './git.ts';
import { isAtOrBelow, nulList, type RawPath, rawPath, readable } from './raw-path.ts';

/** Something of the workspace that is not in the result, and the reason. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

export interface CollectedTree {
  readonly tree: string;
  readonly notInPatch: readonly LeftOut[];
  readonly hasIgnored: boolean;
  readonly hasLarge: boolean;
}

export interface TreeRequest {
  readonly collector: Collector;
  readonly workspace: string;
  readonly base: string;
  /**
   * Paths that were put into the workspace, not made by the worker: new files at or below them are no result,
   * and a tracked file or a submodule of this very path stays as the base has it.
   */
  readonly provided: readonly string[];
  /** A new file over this size is left out and named. */
  readonly largeFileBytes: number;
}

const MOST_NAMED = 200;

/**
 * The workspace's files as one tree on the base: what stands in the files counts, never the worker's index
 * or commits. Submodules stay as the base has them.
 */
export async function readTree(request: TreeRequest): Promise<CollectedTree> {
  try {
    return await readOnce(request);
  } catch (error) {
    // An attribute the worker wrote (an encoding the file does not have) must not lose the work.
    if (!(error instanceof GitError)) throw error;
    await request.collector.takeBytes();
    return readOnce(request);
  }
}

async function readOnce(request: TreeRequest): Promise<CollectedTree> {
  const { collector, workspace, base } = request;
  await collector.host(['read-tree', '--reset', base]);
  const before = await readIndex(collector);
  const submodules = [...before].filter(([, entry]) => entry.mode === '160000');
  // Without its entry git never opens a submodule's folder, whose configuration may be the worker's.
  await setEntries(collector, removals(submodules.map(([path]) => path)), base.length);

  const changed = await changedFiles(collector, workspace, new Set(request.provided));
  await setEntries(collector, removals(changed.removed), base.length);

  const tops = submodules.map(([path]) => path);
  const { paths, nested } = await listNew(collector, workspace);
  const touched = tops.filter((top) => !request.provided.includes(readable(top)));
  const inSubmodule = touched.filter((top) => paths.some((path) => isAtOrBelow(path, [top])));
  const fresh = await judgeNew(
    request,
    paths.filter((path) => !isAtOrBelow(path, tops)),
  );
  const refused = await add(collector, [...changed.kept.keys(), ...fresh.add]);
  await keepSameBytes(collector, before, changed.kept);
  await setEntries(collector, submodules, base.length);

  const ignored = await nameIgnored(request, tops);
  const tree = line(await collector.host(['write-tree']));
  const notInPatch = [
    ...changed.notes,
    ...fresh.notes,
    ...refused,
    ...inSubmodule.map((top) => note(top, 'in a submodule, which stays as it was')),
    ...nested
      .filter((path) => !isAtOrBelow(path, tops))
      .map((path) => ({
        path: `${path}.git`,
        why: 'the history of a nested repository; its files are taken',
      })),
    ...ignored,
  ];
  return { tree, notInPatch, hasIgnored: ignored.length > 0, hasLarge: fresh.hasLarge };
}

function removals(paths: readonly RawPath[]): [RawPath, null][] {
  return paths.map((path) => [path, null]);
}

function note(path: RawPath, why: string): LeftOut {
  return { path: readable(path), why };
}

interface Changed {
  readonly kept: ReadonlyMap<RawPath, Found>;
  readonly removed: readonly RawPath[];
  readonly notes: readonly LeftOut[];
}

/**
 * Tracked files that differ. The index has no stat data of the worker's: every file's content is read. The
 * command is `diff` and not `diff-files`, since it refreshes the index by itself: one process in place of two.
 */
async function changedFiles(
  collector: Collector,
  workspace: string,
  provided: ReadonlySet<string>,
): Promise<Changed> {
  const args = ['diff', '-z', '--name-status', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const listed = fields((await collector.inside([...args, '--ignore-submodules=all'])).stdout);
  const kept = new Map<RawPath, Found>();
  const removed: RawPath[] = [];
  const notes: LeftOut[] = [];
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const status = listed[at]?.toString('latin1');
    const path = rawPath(listed[at + 1] ?? Buffer.alloc(0));
    // E.g. a file of Git LFS that got its content from us, and has it still.
    if (status !== 'D' && provided.has(readable(path))) continue;
    // A path behind a link is deleted for git, though it can be looked at.
    const found: Found = status === 'D' ? { kind: 'other', what: 'nothing' } : await lookAt(workspace, path);
    if (found.kind === 'unreadable') notes.push(note(path, 'cannot be read; it stays as it was'));
    else if (found.kind === 'other') removed.push(path);
    else kept.set(path, found);
    if (found.kind === 'other' && found.what !== 'nothing' && found.what !== 'a folder') {
      notes.push(note(path, `is ${found.what} now; git keeps none`));
    }
  }
  return { kept, removed, notes };
}

async function judgeNew(
  request: TreeRequest,
  paths: readonly RawPath[],
): Promise<{ add: RawPath[]; notes: LeftOut[]; hasLarge: boolean }> {
  const add: RawPath[] = [];
  const notes: LeftOut[] = [];
  let hasLarge = false;
  for (const path of paths) {
    if (isAtOrBelow(readable(path), request.provided)) continue;
    const found = await lookAt(request.workspace, path);
    if (found.kind === 'unreadable') notes.push(note(path, 'cannot be read'));
    else if (found.kind === 'file' && found.size > request.largeFileBytes) {
      hasLarge = true;
      notes.push(note(path, `a new file of ${Math.round(found.size / 1_000_000)} MB`));
    } else if (found.kind !== 'other') add.push(path);
  }
  return { add, notes, hasLarge };
}

/** Returns the paths git refuses by their name, e.g. one that some file system takes for `.git`. */
async function add(collector: Collector, paths: readonly RawPath[]): Promise<LeftOut[]> {
  if (paths.length === 0) return [];
  const args = ['update-index', '--add', '-z', '--stdin'];
  const answer = await collector.inside(args, { input: nulList(paths) });
  const refused = [...answer.stderr.matchAll(/^Ignoring path (.*)$/gm)].map((match) => match[1] ?? '');
  return refused.map((path) => ({ path, why: 'git refuses this name' }));
}

/**
 * A file whose bytes are those of the base is unchanged, even where an attribute in the tree would now
 * store it with other line ends than the base has.
 */
async function keepSameBytes(
  collector: Collector,
  before: ReadonlyMap<RawPath, Entry>,
  changed: ReadonlyMap<RawPath, Found>,
): Promise<void> {
  const candidates = [...changed].flatMap(([path, found]) => {
    const entry = before.get(path);
    if (entry === undefined || !entry.mode.startsWith('100') || found.kind !== 'file') return [];
    // --stdin-paths reads lines, and takes a quote at the start as git's own quoting.
    if (path.includes('\n') || path.startsWith('"')) return [];
    return [{ path, entry, executable: found.executable }];
  });
  if (candidates.length === 0) return;
  const input = Buffer.from(candidates.map(({ path }) => `${path}\n`).join(''), 'latin1');
  const answer = await collector.inside(['hash-object', '--no-filters', '--stdin-paths'], { input });
  const hashes = line(answer).split('\n');
  const same = candidates.filter(({ entry }, at) => entry.object === hashes[at]);
  const entries = same.map(({ path, entry, executable }): [RawPath, Entry] => [
    path,
    { mode: executable ? '100755' : '100644', object: entry.object },
  ]);
  await setEntries(collector, entries, hashes[0]?.length ?? 40);
}

async function nameIgnored(request: TreeRequest, submodules: readonly RawPath[]): Promise<LeftOut[]> {
  const listed = await listIgnored(request.collector);
  const theirs = listed.filter(
    (path) =>
      !isAtOrBelow(path, submodules) && !isAtOrBelow(readable(path).replace(/\/$/, ''), request.provided),
  );
  const links = theirs.filter((path) => matchesJunk(path) && !path.endsWith('/'));
  const notes = theirs
    .filter((path) => !matchesJunk(path))
    .map((path) => note(path, 'new, but ignored by the repository'));
  for (const path of links) {
    const found = await lookAt(request.workspace, path);
    if (found.kind === 'link') notes.push(note(path, 'a link in the place of what tools leave behind'));
  }
  return notes.length <= MOST_NAMED
    ? notes
    : [...notes.slice(0, MOST_NAMED), { path: '…', why: `${notes.length - MOST_NAMED} more ignored paths` }];
}
