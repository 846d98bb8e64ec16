import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '../job/ids.ts';
import { UserError } from '../job/user-error.ts';
import { type Collector, makeCollector } from './collector.ts';
import { fields, GitError, line, refsGit } from './git.ts';
import { type RawPath, rawPath } from './raw-path.ts';
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
    const more = await holdsMore(collector, base, commit, wanted.resultPaths);
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
  resultPaths: ReadonlySet<RawPath>,
): Promise<'yes' | 'no' | 'stuck'> {
  try {
    if (line(await collector.inside(['cat-file', '-t', commit], LIMIT)) !== 'commit') return 'no';
    const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=AMT'];
    const answer = await collector.inside([...args, '--no-ext-diff', '--no-textconv', base, commit], LIMIT);
    return fields(answer.stdout).some((path) => !resultPaths.has(rawPath(path))) ? 'yes' : 'no';
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
}): Promise<boolean> {
  const { repository, collector, commit, ref } = wanted;
  try {
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
