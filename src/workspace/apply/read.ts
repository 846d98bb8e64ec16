import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { PathSides, Side } from '../../job/apply-plan.ts';
import { fields, line, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import { type ChangedPath, changedPaths } from './changed-paths.ts';
import { byPath, INDEX_SHAPE, type IndexEntry, listIndex } from './index-entries.ts';
import { indexSide, mapIndex } from './index-sides.ts';
import { type Deletions, foldersAbove, type Probe, probe } from './probe.ts';
import type { Scratch } from './scratch.ts';

/** What is to be applied: `result` and its `base` are full commit ids, both present in the repository. */
export interface Wanted {
  readonly base: string;
  readonly result: string;
  /** git's globs; none means everything. */
  readonly only: readonly string[];
  /** The commit that the base's uncommitted work stands on; null when it has none. */
  readonly committed: string | null;
}

/** The user's checkout as it stands, as far as the result is concerned. */
export interface Present {
  /** Null on a branch without a commit. */
  readonly head: string | null;
  readonly sides: readonly PathSides[];
  /** Of the whole index: see IndexListing. */
  readonly indexDigest: string;
  /** Path → what `signature` said before its content was read; absent when nothing was there. */
  readonly signatures: ReadonlyMap<string, string>;
  /** The same text as long as nothing that matters here has changed. */
  readonly fingerprint: string;
}

/** Reads base, result, index and worktree of every changed path. Writes nothing but into the scratch folder. */
export async function readPresent(
  repository: Repository,
  wanted: Wanted,
  scratch: Scratch,
): Promise<Present> {
  const changed = await changedPaths(repository, wanted, wanted.only);
  const deletions = new Set(changed.filter((path) => path.theirs === null).map((path) => path.path));
  const listing = await listIndex(repository, scratch.userIndex);
  const probes = await probeAll(repository.checkout, changed, deletions);
  const worktree = await cleanEntries(repository, probes, scratch);
  const entries = byPath(listing);
  const map = mapIndex(entries, await ignoresCase(repository));
  const pending = await intentToAdd(repository, changed, entries, scratch);
  const outside = await linksOutside(repository, changed);
  const carried = await carriedPaths(repository, wanted, changed);
  const sides = changed.map((path): PathSides => {
    const found = probes.get(path.path) ?? { kind: 'absent' };
    return {
      path: path.path,
      base: path.base,
      theirs: path.theirs,
      index: path.exact ? indexSide(map, path.path, deletions, pending) : NOT_UTF8,
      worktree: worktreeSide(found, worktree.get(path.path)),
      linkOutside: outside.has(path.path),
      carried: carried.has(path.path),
    };
  });
  const head = await headOf(repository);
  const signatures = new Map(
    [...probes].flatMap(([path, found]) => ('signature' in found ? [[path, found.signature]] : [])),
  );
  return { head, sides, indexDigest: listing.digest, signatures, fingerprint: digest([head, sides]) };
}

const NOT_UTF8: Side = { kind: 'blocked', why: 'its name is not UTF-8' };

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** The commit HEAD names; null on a branch without one. */
export async function headOf(repository: Repository): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const answer = await userGit(repository, args, { accept: [0, 1] });
  return answer.exitCode === 0 ? line(answer) : null;
}

async function ignoresCase(repository: Repository): Promise<boolean> {
  const args = ['config', '--type=bool', '--default=false', '--get', 'core.ignoreCase'];
  return line(await userGit(repository, args)) === 'true';
}

async function probeAll(
  checkout: string,
  changed: readonly ChangedPath[],
  deletions: Deletions,
): Promise<Map<string, Probe>> {
  const probes = new Map<string, Probe>();
  for (const { path, exact } of changed) if (exact) probes.set(path, await probe(checkout, path, deletions));
  return probes;
}

function worktreeSide(found: Probe, entry: IndexEntry | undefined): Side {
  if (found.kind === 'blocked' || found.kind === 'absent') return found;
  if (entry === undefined) return { kind: 'blocked', why: 'git does not take the file that is there' };
  return { kind: 'entry', entry: { mode: entry.mode, oid: entry.oid } };
}

/** What `git add` would make of each file that is there, by the user's own filters and line ends. */
async function cleanEntries(
  repository: Repository,
  probes: ReadonlyMap<string, Probe>,
  scratch: Scratch,
): Promise<Map<string, IndexEntry>> {
  const there = [...probes].filter(([, found]) => 'signature' in found).map(([path]) => `${path}\0`);
  if (there.length === 0) return new Map();
  const env = { ...scratch.objects, GIT_INDEX_FILE: scratch.worktreeIndex };
  const args = [
    ...INDEX_SHAPE,
    '-c',
    'core.safecrlf=false',
    'update-index',
    '--add',
    '--replace',
    '-z',
    '--stdin',
  ];
  await userGit(repository, args, { env, input: Buffer.from(there.join('')) });
  return byPath(await listIndex(repository, scratch.worktreeIndex));
}

const EMPTY_BLOBS: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

/** An entry of `git add -N` looks like an empty file; diff-files alone tells it apart. */
async function intentToAdd(
  repository: Repository,
  changed: readonly ChangedPath[],
  entries: ReadonlyMap<string, IndexEntry>,
  scratch: Scratch,
): Promise<Set<string>> {
  const suspects = changed.filter(({ path }) => EMPTY_BLOBS.has(entries.get(path)?.oid ?? ''));
  if (suspects.length === 0) return new Set();
  const args = ['diff-files', '-z', '--name-only', '--diff-filter=A', '--no-relative'];
  const env = { GIT_INDEX_FILE: scratch.userIndex };
  const answer = await userGit(repository, args, { env });
  return new Set(fields(answer.stdout).map((path) => path.toString('utf8')));
}

/** Those that the base has otherwise than the commit below it, or that stand above or below such a one. */
async function carriedPaths(
  repository: Repository,
  { committed, base }: Wanted,
  changed: readonly ChangedPath[],
): Promise<ReadonlySet<string>> {
  if (committed === null) return new Set();
  const differing = await changedPaths(repository, { base: committed, result: base }, []);
  const carried = new Set(differing.map(({ path }) => path));
  const above = new Set(differing.flatMap(({ path }) => foldersAbove(path)));
  const isCarried = (path: string): boolean =>
    [path, ...foldersAbove(path)].some((each) => carried.has(each)) || above.has(path);
  return new Set(changed.map(({ path }) => path).filter(isCarried));
}

async function linksOutside(repository: Repository, changed: readonly ChangedPath[]): Promise<Set<string>> {
  const outside = new Set<string>();
  for (const { path, theirs } of changed) {
    if (theirs?.mode !== '120000') continue;
    const { stdout } = await userGit(repository, ['cat-file', 'blob', theirs.oid]);
    const target = stdout.toString('latin1');
    const landing = posix.join(posix.dirname(path), target);
    if (posix.isAbsolute(target) || landing === '..' || landing.startsWith('../')) outside.add(path);
  }
  return outside;
}
