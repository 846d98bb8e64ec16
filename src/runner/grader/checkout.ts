import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ToolDefinition } from '../../engine/engine.ts';
import type { Place } from '../../job/rubric.ts';
import { runtimeOf } from '../../provider/sandbox-runtime.ts';
import { createClone } from '../../workspace/clone.ts';
import type { Collected } from '../../workspace/collect.ts';
import { filesInside } from '../../workspace/files-helper/client.ts';
import { hostGit } from '../../workspace/git.ts';
import { removeTree } from '../../workspace/remove.ts';
import { openSandbox } from '../../workspace/sandbox/open.ts';
import { hideNeverSent } from '../never-send.ts';
import type { Prepared } from '../prepare.ts';
import type { RunningJob } from '../running-job.ts';
import { filesProgram } from '../runtime.ts';
import { fileTools } from '../tools/file-tools.ts';
import { withoutSecrets } from '../tools/without-secrets.ts';

/** A checkout of the collected work in which nothing has run, and what a grader may look at it with. */
export interface GraderCheckout {
  readonly tools: readonly ToolDefinition[];
  readonly exists: (place: Place) => Promise<boolean>;
  close(): Promise<void>;
}

type Changed = Extract<Collected, { kind: 'changed' }>;

/** Made afresh for each grading, beside the gate's: what a test run left there is not the work. */
export async function openGraderCheckout(
  job: RunningJob,
  prepared: Prepared,
  collected: Changed,
): Promise<GraderCheckout> {
  const { record } = job.writer;
  const folder = join(job.places.folder, 'grader');
  await removeTree(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const checkout = join(folder, 'checkout');
  const { repository } = prepared;
  const clone = {
    repository,
    id: record.id,
    commit: collected.commit,
    branch: record.branch,
    folder: checkout,
  };
  await createClone(clone);
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: checkout,
    home: join(folder, 'home'),
    temp: join(folder, 'tmp'),
    passEnv: {},
    levelWanted: record.sandbox,
    runtime: runtimeOf(record, process.env),
    network: 'none',
    readable: repository.objectDirectories,
  });
  const { globs } = prepared.neverSend;
  const hidden = await hideNeverSent(sandbox, globs, { work: checkout, beside: folder });
  const files = filesInside({
    sandbox: hidden.sandbox,
    workspace: checkout,
    program: filesProgram(),
    neverSend: globs,
    timeoutMs: record.limits.commandTimeout * 1000,
  });
  return {
    tools: fileTools(files, () => undefined)
      .filter((tool) => tool.readOnly)
      .map((tool) => withoutSecrets(tool, job.ownRedactor)),
    exists: evidenceIn({ gitDir: join(checkout, '.git'), root: checkout, collected }),
    async close() {
      await sandbox.dispose();
      await removeTree(folder);
    },
  };
}

/**
 * Is there such a line in the commit, or such a file among those the work deletes? Asked of git's objects, so that no
 * link leads out of them.
 */
export function evidenceIn(place: {
  readonly gitDir: string;
  /** Where the checkout is: a path may be named with it. */
  readonly root: string;
  readonly collected: Pick<Changed, 'commit' | 'files'>;
}): (wanted: Place) => Promise<boolean> {
  const { gitDir, root, collected } = place;
  const lines = new Map<string, number>();
  const deleted = new Set(collected.files.flatMap(({ path, status }) => (status === 'D' ? [path] : [])));
  return async ({ path: named, line }) => {
    const path = named.startsWith(`${root}/`) ? relative(root, named) : named;
    if (deleted.has(path)) return true;
    let count = lines.get(path);
    if (count === undefined) {
      const args = ['cat-file', 'blob', `${collected.commit}:${path}`];
      const { exitCode, stdout } = await hostGit({ gitDir, args }, { accept: [0, 128] });
      count = exitCode === 0 ? linesOf(stdout) : 0;
      lines.set(path, count);
    }
    return line >= 1 && line <= count;
  };
}

function linesOf(bytes: Buffer): number {
  let count = bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}
