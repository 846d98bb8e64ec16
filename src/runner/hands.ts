import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, EngineHost, ModelRef, ToolDefinition } from '../engine/engine.ts';
import type { Redactor } from '../job/redaction/redactor.ts';
import { hasTool } from '../job/tool-rules.ts';
import { filesInside } from '../workspace/files-helper/client.ts';
import { placeInside } from '../workspace/files-path.ts';
import { allowance } from './allowance.ts';
import { openClientHands } from './claude/hands.ts';
import { COPIES, type Guard, openGuard } from './guard/open.ts';
import { type HidingSandbox, hideNeverSent } from './never-send.ts';
import { sharedPauses } from './pauses.ts';
import { type Prepared, startFolder } from './prepare.ts';
import type { RunningJob } from './running-job.ts';
import { filesProgram } from './runtime.ts';
import { Stagnation, workspaceLook } from './stagnation.ts';
import { type CopyShell, copyShell } from './sub-agents/copy-shell.ts';
import { SubAgents } from './sub-agents/sub-agents.ts';
import { systemPrompt } from './system-prompt.ts';
import { bashTool } from './tools/bash.ts';
import { fileTools } from './tools/file-tools.ts';
import { supervisorTools } from './tools/supervisor.ts';
import { taskTool } from './tools/task.ts';
import { withoutSecrets } from './tools/without-secrets.ts';
import type { Team } from './work.ts';

/** What a worker works with through all of its rounds. */
export interface Hands {
  readonly engine: Engine;
  /** The worker's standing orders. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly afterRound: NonNullable<EngineHost['afterRound']>;
  readonly mayCall: EngineHost['mayCall'];
  /** What the conversation is written down with. */
  readonly redactor: Pick<Redactor, 'text' | 'known'>;
  readonly emit: EngineHost['emit'];
}

/** Once for a job: what stays open is closed with the job's sandbox. */
export function openHands(job: RunningJob, prepared: Prepared, team: Team): Promise<Hands> {
  return team.client === null
    ? openOwnHands(job, prepared, team)
    : openClientHands(job, prepared, team, team.client);
}

/** Guard and tools of our own loop. */
async function openOwnHands(job: RunningJob, prepared: Prepared, team: Team): Promise<Hands> {
  const { record } = job.writer;
  const guard = await openGuard({
    places: job.places,
    checkout: record.checkout,
    level: prepared.sandbox.level,
    path: job.passEnv.PATH ?? process.env.PATH,
    refused: ({ family, sentence }) => job.log.event('refused', { tool: 'bash', family, sentence }),
  });
  const stagnation = new Stagnation(workspaceLook(prepared, job.places.work));
  const touched = (path: string): void => {
    team.activity.touched(path);
    stagnation.touched();
  };
  const place = { work: job.places.work, beside: job.places.folder, others: job.task.addDirs };
  const hidden = await hideNeverSent(prepared.sandbox, prepared.neverSend.globs, place);
  const mayCall = allowance(job, prepared, team);
  const work = workTools(job, { sandbox: hidden.sandbox, neverSend: prepared.neverSend }, { guard, touched });
  const subAgents = makeSubAgents(job, prepared, team, { guard, tools: work, hidden, mayCall });
  const tools = [
    ...work,
    ...supervisorTools(team.questions, team.activity.note),
    taskTool((role, prompt, signal) => subAgents.run(role, prompt, signal)),
  ].filter((tool) => hasTool(tool.name, job.task));
  return {
    engine: team.engine,
    system: systemPrompt(job.task, {
      subdirectory: record.subdirectory,
      test: record.gate.test,
      commandTimeout: record.limits.commandTimeout,
    }),
    tools,
    afterRound: (calls) => stagnation.afterRound(calls),
    mayCall,
    redactor: job.redactor,
    emit: team.activity.onEvent,
  };
}

/** The tools that touch the workspace, without those the job was denied. */
function workTools(
  job: RunningJob,
  { sandbox, neverSend }: Pick<Prepared, 'sandbox' | 'neverSend'>,
  { guard, touched }: { guard: Guard; touched: (path: string) => void },
): ToolDefinition[] {
  const { limits } = job.writer.record;
  const files = filesInside({
    sandbox,
    workspace: job.places.work,
    program: filesProgram(),
    neverSend: neverSend.globs,
    beside: job.task.addDirs,
    timeoutMs: limits.commandTimeout * 1000,
  });
  const all = [
    bashTool({
      sandbox,
      cwd: startFolder(job),
      timeoutSeconds: limits.commandTimeout,
      longestSeconds: limits.timeout,
      log: job.log.output,
      guard,
      rules: job.task,
    }),
    ...fileTools(files, touched),
  ];
  return all
    .filter((tool) => hasTool(tool.name, job.task))
    .map((tool) => withoutSecrets(tool, job.ownRedactor));
}

function makeSubAgents(
  job: RunningJob,
  prepared: Prepared,
  team: Team,
  {
    guard,
    tools,
    hidden,
    mayCall,
  }: {
    readonly guard: Guard;
    readonly tools: readonly ToolDefinition[];
    readonly hidden: HidingSandbox;
    readonly mayCall: EngineHost['mayCall'];
  },
): SubAgents {
  const { record } = job.writer;
  const { folder, work } = job.places;
  const shell = (name: string): CopyShell =>
    copyShell({ job, prepared, guard, hidden, folder: join(folder, COPIES, fileName(name)) });
  return new SubAgents({
    engine: team.engine,
    modelsOf: (role) => ownModels(job.roleModels[role]) ?? job.models,
    tools,
    mayCall,
    pauses: sharedPauses(job.log),
    emit: team.activity.onEvent,
    transcript: (name) => join(job.paths.folder, 'agents', `${fileName(name)}.ndjson`),
    redactor: job.redactor,
    idleMs: record.limits.stallTimeout * 1000,
    test: record.gate.test,
    // Below level full nothing keeps a shell out of the workspace: then there is none. Nor if it was denied.
    shell: prepared.sandbox.level === 'full' && tools.some(({ name }) => name === 'bash') ? shell : null,
    placeOf: async (path) => (await placeInside(await realpath(work), path)).relative,
  });
}

function ownModels([first, ...rest]: readonly ModelRef[] = []): readonly [ModelRef, ...ModelRef[]] | null {
  return first === undefined ? null : [first, ...rest];
}

/** `tester#2` as the name of a file. */
function fileName(agent: string): string {
  return agent.replace('#', '-');
}
