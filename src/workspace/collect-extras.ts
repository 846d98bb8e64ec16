import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '../job/ids.ts';
import { UserError } from '../job/user-error.ts';
import { type Collector, makeCollector } from './collector.ts';
import { fields, GitError, line, refsGit } from './git.ts';
import { isAtOrBelow, type RawPath, rawPath, readable } from './raw-path.ts';
import { jobRef } from './refs.ts';
import type { Repository } from './repository.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { takePack } from './take-pack.ts';

/** A commit of the worker's that holds paths the result does not have. */
export interface ExtraCommit {
  readonly commit: string;
  /** Where it is kept in the user's repository; null when its objects could not be taken over. */
  readonly ref: string | null;
  /** The worker's own name for it, e.g. `refs/heads/wip`. */
  readonly name: string;
}

const MOST_CANDIDATES = 100;
const MOST_KEPT = 20;
/** The worker's objects may be pipes: nothing of them is waited for longer. */
const LIMIT = { timeoutMs: 20_000 };

/**
 * Finds what the worker committed and then lost from its files: kept at `refs/delegate/<id>/extra/<n>`.
 * Whatever state the worker's git directory is in, this never fails the collection.
 */
export async function collectExtras(wanted: {
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly id: JobId;
  readonly base: string;
  readonly workspace: string;
  readonly folder: string;
  /** Full names and objects, as read from the worker's git directory. */
  readonly refs: ReadonlyMap<string, string>;
  /** Paths that differ between base and result. */
  readonly resultPaths: ReadonlySet<RawPath>;
  /** Paths that are no work, and may not get into the user's repository: a commit that has them is not kept. */
  readonly withheld: readonly string[];
}): Promise<ExtraCommit[]> {
  const { repository, workspace, base } = wanted;
  const named = new Map<string, string>();
  for (const [name, object] of wanted.refs) {
    if (object !== base && !named.has(object) && named.size < MOST_CANDIDATES) named.set(object, name);
  }
  if (named.size === 0) return [];
  const objects = join(workspace, '.git', 'objects');
  // A link there would name a folder of the worker's choice.
  if (!(await lstat(objects).catch(() => null))?.isDirectory()) return [];
  const place = { repository, sandbox: wanted.sandbox, workspace, folder: wanted.folder, name: 'extras.git' };
  const collector = await makeCollector({ ...place, borrowed: [objects] });
  const found: ExtraCommit[] = [];
  for (const [commit, name] of named) {
    if (found.length === MOST_KEPT) break;
    const more = await holdsMore(collector, base, commit, wanted);
    if (more === 'stuck') break;
    if (more === 'no') continue;
    const ref = jobRef(wanted.id, `extra/${found.length + 1}`);
    const kept = await keep({ ...wanted, collector, commit, ref });
    found.push({ commit, name, ref: kept ? ref : null });
  }
  return found;
}

async function holdsMore(
  collector: Collector,
  base: string,
  commit: string,
  known: { readonly resultPaths: ReadonlySet<RawPath>; readonly withheld: readonly string[] },
): Promise<'yes' | 'no' | 'stuck'> {
  try {
    if (line(await collector.inside(['cat-file', '-t', commit], LIMIT)) !== 'commit') return 'no';
    const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=AMT'];
    const answer = await collector.inside([...args, '--no-ext-diff', '--no-textconv', base, commit], LIMIT);
    const paths = fields(answer.stdout).map((path) => rawPath(path));
    const { resultPaths, withheld } = known;
    const more = paths.some((path) => !resultPaths.has(path) && !isAtOrBelow(readable(path), withheld));
    return more ? 'yes' : 'no';
  } catch (error) {
    // Missing or corrupt objects: there is nothing to be kept.
    if (error instanceof GitError) return error.exitCode === null ? 'stuck' : 'no';
    throw error;
  }
}

async function keep(wanted: {
  readonly repository: Repository;
  readonly collector: Collector;
  readonly folder: string;
  readonly base: string;
  readonly commit: string;
  readonly ref: string;
  readonly withheld: readonly string[];
}): Promise<boolean> {
  const { repository, collector, commit, ref } = wanted;
  try {
    if (await hasAnyOf(collector, wanted)) return false;
    const input = Buffer.from(`${commit}\n^${wanted.base}\n`);
    const args = ['pack-objects', '-q', '--revs', join(wanted.folder, 'extra')];
    const hash = line(await collector.inside(args, { ...LIMIT, input }));
    await takePack(repository, join(wanted.folder, `extra-${hash}.pack`));
    await refsGit(repository, ['update-ref', '--no-deref', ref, commit]);
    return true;
  } catch (error) {
    // Told to the user by a null: the result itself is safe without it.
    if (error instanceof GitError || error instanceof UserError) return false;
    throw error;
  }
}

/** Does the commit, or one below it that would come along, touch one of these paths? */
async function hasAnyOf(
  collector: Collector,
  { base, commit, withheld }: { base: string; commit: string; withheld: readonly string[] },
): Promise<boolean> {
  if (withheld.length === 0) return false;
  const paths = withheld.filter((path) => !path.includes('\n')).map((path) => `:(top,literal)${path}`);
  const input = Buffer.from([commit, `^${base}`, '--', ...paths, ''].join('\n'));
  const args = ['rev-list', '--full-history', '--max-count=1', '--stdin'];
  return line(await collector.inside(args, { ...LIMIT, input })) !== '';
}
