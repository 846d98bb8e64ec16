import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { toolOf } from '../../engine/claude/argv.ts';
import { placeOf } from '../../engine/claude/place.ts';
import { neverSent } from '../../workspace/never-send.ts';
import { allowance } from '../allowance.ts';
import { openGuard } from '../guard/open.ts';
import type { Hands } from '../hands.ts';
import { hideNeverSent } from '../never-send.ts';
import { type Prepared, startFolder } from '../prepare.ts';
import type { RunningJob } from '../running-job.ts';
import { Stagnation, workspaceLook } from '../stagnation.ts';
import { supervisorTools } from '../tools/supervisor.ts';
import type { Team } from '../work.ts';
import { clientRedactor } from './client-redactor.ts';
import { projectInstructions } from './instructions.ts';
import { clientFolder, openClaude } from './open.ts';
import { clientPrompt } from './prompt.ts';
import { hasShell } from './rules.ts';
import { touchedBy } from './touched.ts';

/** What the client has when nothing is said: nothing that it does not need. */
const TOOLS: readonly string[] = ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep'];

/** The same as `openHands`, for a worker that is a headless client: it brings its own tools, and runs inside. */
export async function openClientHands(
  job: RunningJob,
  prepared: Prepared,
  team: Team,
  client: string,
): Promise<Hands> {
  const { record } = job.writer;
  const folder = clientFolder(job);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const guard = await openGuard({
    places: job.places,
    // One folder with the worker's programs: the first on every PATH.
    programs: placeOf(folder).programs,
    checkout: record.checkout,
    level: prepared.sandbox.level,
    path: job.passEnv.PATH ?? process.env.PATH,
    refused: ({ family, sentence }) => job.log.event('refused', { tool: 'bash', family, sentence }),
  });
  const stagnation = new Stagnation(workspaceLook(prepared, job.places.work));
  const noteTouched = touchedBy(
    { work: realpathSync(job.places.work), cwd: realpathSync(startFolder(job)) },
    (path) => {
      team.activity.touched(path);
      stagnation.touched();
    },
  );
  const place = { work: job.places.work, beside: job.places.folder, others: job.task.addDirs };
  const { sandbox } = await hideNeverSent(prepared.sandbox, prepared.neverSend.globs, place);
  const asksForAgents = job.task.allowTools.some((rule) => toolOf(rule) === 'Task');
  const tools = asksForAgents ? [...TOOLS, 'Task'] : TOOLS;
  const engine = await openClaude(job, {
    client,
    sandbox,
    guard,
    neverSend: prepared.neverSend.globs,
    cwd: startFolder(job),
    tools,
  });
  const instructions = await projectInstructions(prepared.repository, {
    commit: record.base,
    subdirectory: record.subdirectory,
    folder,
    isHidden: neverSent(prepared.neverSend.globs),
  });
  return {
    engine,
    system: clientPrompt(
      job.task,
      {
        subdirectory: record.subdirectory,
        test: record.gate.test,
        commandTimeout: record.limits.commandTimeout,
      },
      { instructions, hasShell: hasShell(job.task, tools) },
    ),
    tools: supervisorTools(team.questions, team.activity.note),
    afterRound: (calls) => stagnation.afterRound(calls),
    mayCall: allowance(job, prepared, team),
    redactor: clientRedactor(job),
    emit: (event) => {
      noteTouched(event);
      team.activity.onEvent(event);
    },
  };
}
