import { join } from 'node:path';
import type { ToolDefinition } from '../../engine/engine.ts';
import { count } from '../../job/format.ts';
import { runtimeOf } from '../../provider/sandbox-runtime.ts';
import { filesInside } from '../../workspace/files-helper/client.ts';
import { findRepository } from '../../workspace/repository.ts';
import { openSandbox } from '../../workspace/sandbox/open.ts';
import type { Sandbox } from '../../workspace/sandbox/sandbox.ts';
import type { Snapshot } from '../../workspace/snapshot.ts';
import { snapshotOfHead } from '../../workspace/snapshot-of-head.ts';
import { checkpoint } from '../checkpoint.ts';
import { hideNeverSent, withholdNeverSent } from '../never-send.ts';
import type { RunningJob } from '../running-job.ts';
import { filesProgram } from '../runtime.ts';
import { fileTools } from '../tools/file-tools.ts';
import { withoutSecrets } from '../tools/without-secrets.ts';

/** A snapshot of the checkout, and the tools to look at it. */
export interface Lookout {
  readonly sandbox: Sandbox;
  readonly tools: readonly ToolDefinition[];
  readonly notes: readonly string[];
}

/** Clones HEAD, lays the checkout's uncommitted work over it, and opens the reading tools on that. No ref is made. */
export async function openLookout(job: RunningJob): Promise<Lookout> {
  const { record } = job.writer;
  const { work } = job.places;
  const snapshot = await snapshotOfHead({
    repository: await findRepository(record.checkout),
    id: record.id,
    clone: work,
    folder: join(job.places.folder, 'snapshot'),
    // The user may have committed since the ask was made.
    onBase: (base) => void (base !== job.writer.record.base && job.writer.amend({ base })),
    onCloned: () => checkpoint('ask:cloned'),
  });
  checkpoint('ask:snapshot');
  const { taken, removed, leftOut } = snapshot;
  job.log.event('snapshot', { taken: taken.length, removed: removed.length, leftOut: leftOut.slice(0, 20) });
  const { globs } = await withholdNeverSent(job);
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: work,
    home: job.places.home,
    temp: job.places.temp,
    passEnv: {},
    levelWanted: record.sandbox,
    runtime: runtimeOf(record, process.env),
    network: 'none',
    readable: [],
  });
  const hidden = await hideNeverSent(sandbox, globs, { work, beside: job.places.folder });
  const files = filesInside({
    sandbox: hidden.sandbox,
    workspace: work,
    program: filesProgram(),
    neverSend: globs,
    timeoutMs: record.limits.commandTimeout * 1000,
  });
  const tools = fileTools(files, () => undefined)
    .filter((tool) => tool.readOnly && !job.task.denyTools.includes(tool.name))
    .map((tool) => withoutSecrets(tool, job.ownRedactor));
  return { sandbox, tools, notes: notesOn(snapshot) };
}

function notesOn({ leftOut }: Snapshot): string[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.slice(0, 3).map(({ path, why }) => `${path} (${why})`);
  const more = leftOut.length > 3 ? ` +${leftOut.length - 3}` : '';
  return [`${count(leftOut.length, 'file')} not in the snapshot: ${names.join(', ')}${more}`];
}
