import { parseDuration } from '../job/duration.ts';
import { shortId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { EXIT } from '../job/user-error.ts';
import { forget } from '../notify/deliver.ts';
import { removeLine } from '../notify/line/bake.ts';
import { removeJob } from '../store/jobs.ts';
import { openStore, type Store } from '../store/open.ts';
import { stateDirectory, userDirectory, workspacePaths } from '../store/paths.ts';
import { listJobs } from '../store/read-job.ts';
import { bury } from '../store/removed.ts';
import { deleteBranch, releasePins } from '../workspace/refs.ts';
import { removeWorkspace } from '../workspace/remove.ts';
import { findRepository } from '../workspace/repository.ts';
import { isUnused, refuseToRemove } from './cleanup-refusal.ts';
import { findBuried } from './find-buried.ts';
import { findJob, noRepository } from './find-job.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import { storeAround } from './store-around.ts';
import { upToDate } from './up-to-date.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate cleanup ID | --all-finished [--older-than 14d]

Removes a job: workspace, branch, record, mailbox, log. A small tombstone and
the patch stay under .cc-delegate/removed. Work that was neither applied nor
discarded is not removed without --force, nor a workspace that was changed
since.

  --keep-branch   leave the branch and its commits
  --force         also what was never applied (its patch is kept all the same)
  --dry-run       only say what would go`,

  async run(context) {
    const options = {
      'all-finished': { type: 'boolean' },
      'older-than': { type: 'string' },
      'keep-branch': { type: 'boolean' },
      force: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    } as const;
    const { values, positionals } = parseVerb(context.args, options);
    atMost(positionals, 1);
    const how = {
      keepBranch: values['keep-branch'] === true,
      force: values.force === true,
      dryRun: values['dry-run'] === true,
    };
    const [id] = positionals;
    if (id !== undefined) return one(context, id, how);
    if (values['all-finished'] !== true)
      throw usage('which job?', '', 'cc-delegate cleanup ID, or --all-finished');
    return all(context, olderThan(values['older-than']), how);
  },
};

interface How {
  readonly keepBranch: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
}

async function one(context: VerbContext, typed: string, how: How) {
  const buried = await findBuried(context, typed);
  if (buried !== null) {
    return {
      json: { removed: [], already: [buried] },
      text: `${shortId(buried)} is cleaned up already`,
      exit: EXIT.done,
    };
  }
  const { store, record } = await findJob(context, typed);
  const refusal = await refuseToRemove(context, store, record, how.force);
  if (refusal !== null) throw refusal;
  const line = await remove(context, store, record, how);
  return { json: { removed: how.dryRun ? [] : [record.id] }, text: line, exit: EXIT.done };
}

async function all(context: VerbContext, beforeMs: number, how: How) {
  const here = await storeAround(context);
  if (here === null) throw noRepository(context.cwd);
  const store = openStore(here.repo, { create: false });
  const lines: string[] = [];
  const removed: string[] = [];
  const kept: string[] = [];
  for (const job of listJobs(store)) {
    if (job.kind !== 'ok') continue;
    const record = await upToDate(context, store, job.record);
    if (record.endedAt === null || Date.parse(record.endedAt) > beforeMs) continue;
    const refusal = await refuseToRemove(context, store, record, how.force);
    if (refusal !== null) {
      kept.push(record.id);
      lines.push(`kept     ${shortId(record.id)}  ${refusal.explanation.what}`);
      continue;
    }
    lines.push(await remove(context, store, record, how));
    if (!how.dryRun) removed.push(record.id);
  }
  return {
    json: { removed, kept },
    text: lines.length === 0 ? 'nothing to clean up' : lines.join('\n'),
    exit: EXIT.done,
  };
}

async function remove(context: VerbContext, store: Store, record: JobRecord, how: How): Promise<string> {
  const { id, branch } = record;
  const commit = record.result?.commit ?? null;
  const unused = isUnused(record) ? ', never applied' : '';
  const what = `${shortId(id)}  ${record.title}${commit === null ? '' : `  (${commit.slice(0, 8)}${unused})`}`;
  if (how.dryRun) return `would remove ${what}`;
  bury(store, {
    id,
    title: record.title,
    state: record.state,
    reason: record.reason,
    branch,
    commit,
    removedAt: new Date().toISOString(),
  });
  const stateDir = stateDirectory(context.env);
  // Our own idea of the path, never the record's: a record is data, and data may be forged.
  const { work } = workspacePaths(stateDir, store.repo, id);
  const removal = await removeWorkspace({ stateDirectory: stateDir, id, workspace: work });
  if (removal.kind === 'refused') context.stderr(`cc-delegate: the workspace was left alone: ${removal.why}`);
  await removeRefs(context, record, how);
  removeJob(store, id);
  removeLine(store.repo, id);
  forget(userDirectory(context.env), record);
  return `removed ${what}`;
}

async function removeRefs(context: VerbContext, record: JobRecord, how: How): Promise<void> {
  const repository = await findRepository(record.checkout).catch(() => null);
  // Without a repository there is nothing to remove from it.
  if (repository === null) return;
  const expected = record.result?.commit ?? record.base;
  if (!how.keepBranch && record.branch !== '' && !(await deleteBranch(repository, record.branch, expected))) {
    context.stderr(
      `cc-delegate: the branch ${record.branch} was left alone: it is in use, or not as we left it`,
    );
  }
  await releasePins(repository, record.id);
}

function olderThan(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const age = parseDuration(text);
  if (age === null) throw usage('--older-than takes a time', text, 'e.g. --older-than 14d');
  return Date.now() - age * 1000;
}
