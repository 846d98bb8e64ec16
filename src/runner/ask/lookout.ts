import { join } from 'node:path';
import type { Engine, ToolDefinition } from '../../engine/engine.ts';
import { count } from '../../job/format.ts';
import type { Redactor } from '../../job/redaction/redactor.ts';
import { hasTool } from '../../job/tool-rules.ts';
import { runtimeOf } from '../../provider/sandbox-runtime.ts';
import { filesInside } from '../../workspace/files-helper/client.ts';
import { neverSent } from '../../workspace/never-send.ts';
import { findRepository } from '../../workspace/repository.ts';
import { openSandbox } from '../../workspace/sandbox/open.ts';
import type { Sandbox } from '../../workspace/sandbox/sandbox.ts';
import type { Snapshot } from '../../workspace/snapshot.ts';
import { snapshotOfHead } from '../../workspace/snapshot-of-head.ts';
import { checkpoint } from '../checkpoint.ts';
import { clientRedactor } from '../claude/client-redactor.ts';
import { projectInstructions } from '../claude/instructions.ts';
import { clientFolder, openClaude } from '../claude/open.ts';
import { hideNeverSent, withholdNeverSent } from '../never-send.ts';
import type { RunningJob } from '../running-job.ts';
import { filesProgram } from '../runtime.ts';
import { fileTools } from '../tools/file-tools.ts';
import { withoutSecrets } from '../tools/without-secrets.ts';
import type { Team } from '../work.ts';

/** A snapshot of the checkout, and the tools to look at it. */
export interface Lookout {
  readonly sandbox: Sandbox;
  /** Who looks at it. */
  readonly engine: Engine;
  /** What the conversation is written down with. */
  readonly redactor: Pick<Redactor, 'text' | 'known'>;
  /** What the project says, for who does not read it there; '' for our own. */
  readonly instructions: string;
  readonly tools: readonly ToolDefinition[];
  readonly notes: readonly string[];
}

/**
 * Clones HEAD, lays the checkout's uncommitted work over it, and opens the reading tools on that: ours, or the client's.
 * No ref is made.
 */
export async function openLookout(job: RunningJob, team: Pick<Team, 'engine' | 'client'>): Promise<Lookout> {
  const { record } = job.writer;
  const { work } = job.places;
  const repository = await findRepository(record.checkout);
  const snapshot = await snapshotOfHead({
    repository,
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
    readable: job.task.addDirs,
  });
  const { addDirs } = job.task;
  const hidden = await hideNeverSent(sandbox, globs, { work, beside: job.places.folder, others: addDirs });
  const notes = notesOn(snapshot);
  if (team.client !== null) {
    const place = {
      client: team.client,
      sandbox: hidden.sandbox,
      cwd: work,
      guard: null,
      neverSend: globs,
      tools: LOOKING,
    };
    const engine = await openClaude(job, place);
    const instructions = await projectInstructions(repository, {
      commit: job.writer.record.base,
      subdirectory: '',
      folder: clientFolder(job),
      isHidden: neverSent(globs),
    });
    return { sandbox, engine, redactor: clientRedactor(job), instructions, tools: [], notes };
  }
  const files = filesInside({
    sandbox: hidden.sandbox,
    workspace: work,
    program: filesProgram(),
    neverSend: globs,
    beside: addDirs,
    timeoutMs: record.limits.commandTimeout * 1000,
  });
  const tools = fileTools(files, () => undefined)
    .filter((tool) => tool.readOnly && hasTool(tool.name, job.task))
    .map((tool) => withoutSecrets(tool, job.ownRedactor));
  const { redactor } = job;
  return { sandbox, engine: team.engine, redactor, instructions: '', tools, notes };
}

/** The client's names of what changes nothing. */
const LOOKING = ['Read', 'Grep', 'Glob'];

function notesOn({ leftOut }: Snapshot): string[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.slice(0, 3).map(({ path, why }) => `${path} (${why})`);
  const more = leftOut.length > 3 ? ` +${leftOut.length - 3}` : '';
  return [`${count(leftOut.length, 'file')} not in the snapshot: ${names.join(', ')}${more}`];
}
