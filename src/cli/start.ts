import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { readEvents } from '../store/events.ts';
import { runPaths } from '../store/paths.ts';
import type { Output } from './command.ts';
import { createAndLaunch } from './create-job.ts';
import type { FoundRecord } from './find-job.ts';
import { planStart, type StartPlan } from './plan-start.ts';
import { renderStart } from './render/start.ts';
import { START_HELP, startRequest } from './start-options.ts';
import type { Verb } from './verb.ts';
import { worst } from './wait.ts';
import { waitForNews, waitUntil } from './wait-for-news.ts';

// Preflight has a limit of its own; this is how long the caller is kept waiting for it.
const PREFLIGHT_WAIT_SECONDS = 60;

export const verb: Verb = {
  help: START_HELP,

  async run(context) {
    if (context.env.CC_DELEGATE_WORKER === '1') throw recursion();
    const request = await startRequest(context);
    const plan = await planStart(context, request);
    const found = await createAndLaunch(context, plan);
    let record = await waitUntil(
      context,
      found,
      request.preflightWait ? PREFLIGHT_WAIT_SECONDS : 0,
      preflightIsKnown,
    );
    if (request.wait !== undefined) record = await waitForNews(context, { ...found, record }, request.wait);
    return answer(record, plan, { lacks: whatItLacks(found), waited: request.wait !== undefined });
  },
};

/** What the workspace lacks, a line each, as the runner found it before the first paid token. */
function whatItLacks({ store, record }: FoundRecord): string[] {
  const { events } = readEvents(runPaths(store, record.id).events);
  const notices = events.find(({ t }) => t === 'ready')?.notices;
  return Array.isArray(notices) ? notices.filter((notice) => typeof notice === 'string') : [];
}

function preflightIsKnown(record: JobRecord): boolean {
  if (isTerminal(record.state)) return true;
  if (record.gate.test === null) return record.state !== 'queued';
  return record.preflight !== null;
}

function answer(
  record: JobRecord,
  plan: StartPlan,
  { lacks, waited }: { readonly lacks: readonly string[]; readonly waited: boolean },
): Output {
  const json = {
    id: record.id,
    conversationId: record.conversationId,
    turn: record.turn,
    state: record.state,
    ...(isTerminal(record.state) && { reason: record.reason, summaryLine: record.result?.summaryLine ?? '' }),
    branch: record.branch,
    base: record.base,
    workspace: record.workspace,
    engine: record.engine,
    model: record.model,
    modelSource: record.modelSource,
    profile: record.profile,
    budgetUsd: record.limits.budgetUsd,
    sandbox: record.sandbox,
    preflight: record.preflight ?? NOT_RUN,
    notices: [...plan.notices, ...lacks],
  };
  return { json, text: renderStart(record, plan, lacks), exit: waited ? worst([record]) : EXIT.done };
}

const NOT_RUN = {
  ran: false,
  exitCode: null,
  timedOut: false,
  outputTail: '',
  verdict: 'not_run',
  note: 'not known yet',
} as const;

/** A worker that delegates further would spend the user's money where nobody looks. */
function recursion(): UserError {
  return new UserError({
    code: 'recursion',
    what: 'a worker cannot start a delegation of its own',
    value: 'CC_DELEGATE_WORKER=1',
    remedy: 'do the work here, or ask the supervisor',
    exit: EXIT.refused,
  });
}
