import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '../job/ids.ts';
import type { ReceiptFile } from '../job/receipt.ts';
import { RESULT_FLAGS, type ResultFlag } from '../job/record.ts';
import { changeFlags } from './change-flags.ts';
import { collectExtras, type ExtraCommit } from './collect-extras.ts';
import { type CollectedTree, type LeftOut, readTree } from './collect-tree.ts';
import { type Collector, makeCollector } from './collector.ts';
import { line, refsGit } from './git.ts';
import { identityIn, WORKER_IDENTITY } from './git-directory.ts';
import { fileChange, listChanges, type RawChange, writePatch } from './patch.ts';
import { type BranchMove, jobRef, moveBranch, readRef } from './refs.ts';
import type { Repository } from './repository.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { takePack } from './take-pack.ts';
import { readWorkerRefs, type WorkerRefs } from './worker-refs.ts';

export interface CollectRequest {
  readonly repository: Repository;
  readonly id: JobId;
  /** The commit the clone was made at. */
  readonly base: string;
  /** The job's branch, without `refs/heads/`. */
  readonly branch: string;
  readonly workspace: string;
  /** A folder for this alone, outside the workspace; what an earlier try left in it is removed. */
  readonly collector: string;
  readonly sandbox: Sandbox;
  /** Of the commit. */
  readonly message: string;
  /** What will judge the result: a change of what it runs is flagged. */
  readonly testCommand: string | null;
  /** Where that starts, relative to the root. */
  readonly subdirectory: string;
  /** Folders the changes belong in, relative to the root; absent or []: everywhere. */
  readonly scope?: readonly string[];
  /** Where the patch goes. */
  readonly patchFile: string;
  /** Paths that were put into the workspace by us: no result, at them or below. */
  readonly provided?: readonly string[];
  /** Those of them whose contents may not even get into a ref of the worker's own commits. */
  readonly withheld?: readonly string[];
  /** Default 20 MB. */
  readonly largeFileBytes?: number;
  /** Told what is done so far; collecting may be cut off after any of these and begun again. */
  readonly reached?: (step: CollectStep) => void;
}

export type CollectStep = 'collector' | 'tree' | 'extras' | 'commit' | 'pack' | 'ref' | 'patch' | 'branch';

/** What is told whether or not anything changed. */
interface Findings {
  readonly notInPatch: readonly LeftOut[];
  /** Did the worker move its HEAD or branch: commits, another branch, no HEAD at all? Nothing depends on it. */
  readonly movedHead: boolean;
  /** Those of them this module can see. */
  readonly flags: readonly ResultFlag[];
  readonly extraRefs: readonly ExtraCommit[];
}

export type Collected =
  | { readonly kind: 'workspace_lost'; readonly why: string }
  | ({ readonly kind: 'unchanged' } & Findings)
  | ({
      readonly kind: 'changed';
      readonly commit: string;
      readonly tree: string;
      readonly files: readonly ReceiptFile[];
      readonly insertions: number;
      readonly deletions: number;
      readonly branchMove: BranchMove;
    } & Findings);

/** 20 MB, as people count. */
export const LARGE_FILE_BYTES = 20_000_000;

/**
 * Turns the workspace's files into one commit on the base, at `refs/delegate/<id>/result` and on the job's
 * branch in the user's repository, and writes the patch. May be called again after a crash at any point.
 * Throws UserError: objects git calls unsafe (exit 1), git refusing the repository or a full disk (exit 6).
 */
export async function collect(request: CollectRequest): Promise<Collected> {
  const { repository, sandbox, workspace, base, id } = request;
  const stat = await lstat(workspace).catch(() => null);
  if (!stat?.isDirectory()) return { kind: 'workspace_lost', why: `there is no folder at ${workspace}` };
  const worker = await readWorkerRefs(join(workspace, '.git'));
  await rm(request.collector, { recursive: true, force: true });
  const place = { repository, sandbox, workspace, folder: request.collector };
  const collector = await makeCollector({ ...place, name: 'result.git' });
  const { provided = [], largeFileBytes = LARGE_FILE_BYTES, reached = () => undefined } = request;
  reached('collector');
  const taken = await readTree({ collector, workspace, base, provided, largeFileBytes });
  reached('tree');
  const changes = await listChanges({ gitDir: collector.gitDir, base, result: taken.tree });
  const extraRefs = await collectExtras({
    ...{ ...place, id, base, refs: worker.refs, withheld: request.withheld ?? [] },
    resultPaths: new Set(changes.map((change) => change.path)),
  });
  reached('extras');
  const movedHead = hasMoved(worker, request);
  const found = { notInPatch: taken.notInPatch, movedHead, extraRefs };
  const existing = await readRef(repository, jobRef(id, 'result'));
  if (changes.length === 0) {
    if (existing !== null) await takeBack(request, existing);
    return { kind: 'unchanged', ...found, flags: resultFlags({ taken, movedHead, extraRefs, files: [] }) };
  }
  const files = await describe(collector, changes, request);
  const commit = await makeCommit(request, collector, { tree: taken.tree, existing });
  reached('commit');
  if (commit !== existing) await bringHome(request, collector, commit);
  reached('ref');
  await writePatch({ gitDir: collector.gitDir, base, result: taken.tree }, request.patchFile);
  reached('patch');
  const branchMove = await moveOn(request, existing, commit);
  reached('branch');
  return {
    kind: 'changed',
    ...found,
    flags: resultFlags({ taken, movedHead, extraRefs, files }),
    commit,
    tree: taken.tree,
    files,
    insertions: files.reduce((sum, file) => sum + file.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    branchMove,
  };
}

/** The branch is at the base, or where an earlier round of the same job left it. */
async function moveOn(request: CollectRequest, existing: string | null, commit: string): Promise<BranchMove> {
  const { repository, branch, base } = request;
  const moved = await moveBranch(repository, { branch, from: base, to: commit });
  const isElsewhere = moved.kind === 'left' && moved.why === 'changed';
  if (!isElsewhere || existing === null) return moved;
  return moveBranch(repository, { branch, from: existing, to: commit });
}

/** The worker has undone what an earlier round collected: there is no result any more. */
async function takeBack(request: CollectRequest, existing: string): Promise<void> {
  const { repository, branch, base, id, patchFile } = request;
  await moveBranch(repository, { branch, from: existing, to: base });
  await refsGit(repository, ['update-ref', '--no-deref', '-d', jobRef(id, 'result'), existing]);
  await rm(patchFile, { force: true });
}

function hasMoved(worker: WorkerRefs, request: CollectRequest): boolean {
  const own = `refs/heads/${request.branch}`;
  return worker.head !== `ref: ${own}` || worker.refs.get(own) !== request.base;
}

async function describe(
  collector: Collector,
  changes: readonly RawChange[],
  { testCommand, subdirectory, scope = [] }: CollectRequest,
): Promise<ReceiptFile[]> {
  const expected = { testCommand, subdirectory, scope };
  const files: ReceiptFile[] = [];
  for (const change of changes) {
    files.push(fileChange(change, await changeFlags(collector.gitDir, change, expected)));
  }
  return files;
}

function resultFlags(seen: {
  taken: CollectedTree;
  movedHead: boolean;
  extraRefs: readonly ExtraCommit[];
  files: readonly ReceiptFile[];
}): ResultFlag[] {
  const raised: Partial<Record<ResultFlag, boolean>> = {
    test_edits: seen.files.some((file) => file.flags.includes('test_edit')),
    control_plane: seen.files.some((file) => file.flags.includes('control_plane')),
    commits_not_in_tree: seen.extraRefs.length > 0,
    ignored_files: seen.taken.hasIgnored,
    large_files: seen.taken.hasLarge,
    moved_head: seen.movedHead,
    out_of_scope: seen.files.some((file) => file.flags.includes('out_of_scope')),
  };
  return RESULT_FLAGS.filter((flag) => raised[flag] === true);
}

/** A result that is there already with this very tree is the result: a second try makes no second commit. */
async function makeCommit(
  request: CollectRequest,
  collector: Collector,
  { tree, existing }: { readonly tree: string; readonly existing: string | null },
): Promise<string> {
  if (existing !== null && (await describes(request, existing)) === `${tree} ${request.base}`)
    return existing;
  const message = Buffer.from(`${request.message.replaceAll('\0', '').trim() || 'Work of a delegate'}\n`);
  const args = ['commit-tree', tree, '-p', request.base, '-F', '-'];
  return line(await collector.host(args, { input: message, env: identityIn(WORKER_IDENTITY) }));
}

/** The tree and the parents of a commit. */
async function describes(request: CollectRequest, commit: string): Promise<string> {
  const answer = await refsGit(request.repository, ['rev-parse', `${commit}^{tree}`, `${commit}^@`]);
  return line(answer).replaceAll('\n', ' ');
}

/** Only objects that the base does not have travel, and only after git has checked each of them. */
async function bringHome(request: CollectRequest, collector: Collector, commit: string): Promise<void> {
  const ref = jobRef(request.id, 'result');
  const input = Buffer.from(`${commit}\n^${request.base}\n`);
  const args = ['pack-objects', '-q', '--revs', join(request.collector, 'result')];
  const hash = line(await collector.host(args, { input }));
  await takePack(request.repository, join(request.collector, `result-${hash}.pack`));
  request.reached?.('pack');
  await refsGit(request.repository, ['update-ref', '--no-deref', ref, commit]);
}
