import { waitsForItsTurn } from '../job/queue.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT } from '../job/user-error.ts';
import { readEvents } from '../store/events.ts';
import { runPaths } from '../store/paths.ts';
import { takenNotice, unseenNotice } from './base-of-task.ts';
import type { Output } from './command.ts';
import { type FoundRecord, heard } from './find-job.ts';
import { priceNotice } from './plan-terms.ts';
import { type Handed, renderStart } from './render/start.ts';
import type { VerbContext } from './verb.ts';
import { worst } from './wait.ts';
import { isNews, waitQuietly } from './wait-for-news.ts';

// Preflight has a limit of its own; this is how long the caller is kept waiting for it.
const PREFLIGHT_WAIT_SECONDS = 60;

/** How long the caller of a verb that makes a task wants to stay. */
export interface Patience {
  readonly preflightWait: boolean;
  /** Seconds for the end; undefined: not at all. */
  readonly wait: number | undefined;
}

/** What a verb that has made a task answers: once the preflight is known, or the task has ended. */
export async function reportTask(
  context: VerbContext,
  found: FoundRecord,
  handed: Handed & { readonly notices: readonly string[] },
  { preflightWait, wait }: Patience,
): Promise<Output> {
  if (!context.json)
    for (const notice of unshown(found.record, handed)) context.stderr(`cc-delegate: ${notice}`);
  const seconds = preflightWait ? PREFLIGHT_WAIT_SECONDS : 0;
  let record = await waitQuietly(context, found, seconds, preflightIsKnown);
  if (wait !== undefined) record = await waitQuietly(context, { ...found, record }, wait, isNews);
  if (isNews(record)) heard(context, { ...found, record });
  const lacks = whatItLacks(found);
  const json = { ...startJson(record), notices: [...handed.notices, ...lacks] };
  const text = renderStart(record, handed, lacks);
  return { json, text, exit: wait === undefined ? EXIT.done : worst([record]) };
}

/** What the text that is printed at the end has no line of its own for. */
function unshown({ limits }: JobRecord, handed: Handed & { readonly notices: readonly string[] }): string[] {
  const { taken = [] } = handed;
  const shown = [...unseenNotice(handed.notSeen), takenNotice(taken), ...priceNotice(handed.model, limits)];
  return handed.notices.filter((notice) => !shown.includes(notice));
}

/** What the workspace lacks, a line each, as the runner found it before the first paid token. */
function whatItLacks({ store, record }: FoundRecord): string[] {
  const { events } = readEvents(runPaths(store, record.id).events);
  const notices = events.find(({ t }) => t === 'ready')?.notices;
  return Array.isArray(notices) ? notices.filter((notice) => typeof notice === 'string') : [];
}

function preflightIsKnown(record: JobRecord): boolean {
  if (isTerminal(record.state) || waitsForItsTurn(record)) return true;
  if (record.gate.test === null) return record.state !== 'queued';
  return record.preflight !== null;
}

/** The object of the contract that start, ask and followup share. */
export function startJson(record: JobRecord) {
  return {
    id: record.id,
    conversationId: record.conversationId,
    turn: record.turn,
    state: record.state,
    ...(waitsForItsTurn(record) && { note: record.progress.note }),
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
  };
}

const NOT_RUN = {
  ran: false,
  exitCode: null,
  timedOut: false,
  outputTail: '',
  verdict: 'not_run',
  note: 'not known yet',
} as const;
