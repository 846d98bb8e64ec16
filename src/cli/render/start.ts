import { count, exactMoney, formatDuration, shortModel, trimLine } from '../../job/format.ts';
import { type JobId, shortId } from '../../job/ids.ts';
import { waitsForItsTurn } from '../../job/queue.ts';
import type { JobRecord, Preflight } from '../../job/record.ts';
import { isTerminal } from '../../job/states.ts';
import { engineWords, sandboxWords } from '../../job/summary.ts';
import type { ModelResolution } from '../../provider/resolve-model.ts';
import type { NotSeen } from '../base-of-task.ts';
import { fold } from './fold.ts';
import { priceWords } from './price.ts';

/** What is said of a job beside its record. */
export interface Handed {
  readonly model: ModelResolution;
  readonly notSeen: NotSeen;
  /** How the worker would get to see them, in words. */
  readonly remedy?: string | null;
  /** Uncommitted files that are part of the base. */
  readonly taken?: readonly string[];
  /** The job this one waits for. */
  readonly after?: JobId | null;
}

/** What `start` prints: what was handed over, on which terms, and what comes next. */
export function renderStart(record: JobRecord, plan: Handed, lacks: readonly string[]): string {
  const lines = [
    `${'delegated'.padEnd(10)} ${record.id}   ${trimLine(record.title, 45)}`,
    field('model', modelName(record)),
    ...(record.engine === 'native' ? [] : [field('engine', engineWords(record))]),
    ...fold(`${'price'.padEnd(10)} ${priceWords(plan.model.primary)}`, 80, ' '.repeat(11)),
    ...fold(`${'at most'.padEnd(10)} ${worstCase(record, plan.model)}`, 80, ' '.repeat(11)),
    field('workspace', workspace(record, plan)),
    ...(record.turn > 1 ? [field('turn', `${record.turn} of ${record.conversationId}`)] : []),
    field('sandbox', sandboxWords(record)),
    ...(waitsForItsTurn(record) ? [field('queued', record.progress.note)] : []),
    field('preflight', preflight(record)),
  ];
  const { taken = [], notSeen, remedy = null } = plan;
  const unseen = [...notSeen.changed, ...notSeen.untracked];
  if (taken.length > 0) lines.push(field('taken', uncommitted(taken, ', as they are now')));
  if (unseen.length > 0)
    lines.push(field('not seen', uncommitted(unseen, remedy === null ? '' : `; ${remedy}`)));
  for (const lack of lacks) lines.push(field('note', lack));
  lines.push(field('next', next(record)));
  return lines.join('\n');
}

/** With as many names as there is room for. */
function uncommitted(paths: readonly string[], end: string): string {
  const words = count(paths.length, 'uncommitted file');
  const named = [3, 2, 1].map((names) => `${words} (${paths.slice(0, names).join(', ')})${end}`);
  return named.find((line) => line.length <= ROOM) ?? `${words}${end}`;
}

/** A job that waits for another one starts from what that one will have made. */
function workspace({ base, branch, state }: JobRecord, { after }: Handed): string {
  const waits = after !== undefined && after !== null && state === 'queued';
  const from = waits ? `what ${shortId(after)} makes` : base.slice(0, 7);
  return `clone of ${from} on ${branch}`;
}

/** `qwen3-coder (profile cheap, default)`. */
function modelName({ model, modelSource }: JobRecord): string {
  const source = modelSource.replace('profile:', 'profile ').replace(' (', ', ').replace(')', '');
  return `${shortModel(model)} (${source})`;
}

/**
 * What the budget bounds; the tokens, where there is no price or none of its own. Asked before each call, a bound holds
 * up the next one: the last may go beyond it.
 */
function worstCase({ limits }: JobRecord, { primary, fallbacks }: ModelResolution): string {
  const tokens = `${limits.maxTokens.toLocaleString('en-US')} tokens`;
  const { prices } = primary.endpoint;
  if (prices === null || prices.input + prices.output === 0) return `${tokens}${LAST_CALL}`;
  if (limits.budgetUsd === 0) return `${exactMoney(0)}: no call is made`;
  const money = exactMoney(limits.budgetUsd) + LAST_CALL;
  const isSure = fallbacks.every(({ endpoint }) => endpoint.prices !== null);
  return isSure ? money : `${money}; ${tokens} with a fallback of unknown price`;
}

const LAST_CALL = ', and one call at most beyond it';

function preflight(record: JobRecord): string {
  const { gate, preflight: seen } = record;
  if (gate.test === null) return 'no test command: the result will be unproven';
  if (record.state === 'queued') return `when its turn comes: ${gate.test}`;
  if (seen === null) return `still running: ${gate.test}`;
  return `${verdictWords(seen)}, ${formatDuration(seen.durationSeconds)}: ${gate.test}`;
}

function verdictWords(seen: Preflight): string {
  switch (seen.verdict) {
    case 'passes':
      return 'passes before the work';
    case 'fails':
      return `fails before the work (exit ${seen.exitCode ?? '?'})`;
    case 'timed_out':
      return 'did not end in time';
    case 'runner_broken':
      return `cannot run: ${seen.note}`;
    case 'not_run':
      return 'not run';
  }
}

function next(record: JobRecord): string {
  const id = shortId(record.id);
  if (isTerminal(record.state)) return `it has ended: cc-delegate result ${id}`;
  return `cc-delegate status ${id} · wait ${id} · steer ${id} "…"`;
}

/** What a line of 80 columns has beside its name. */
const ROOM = 69;

function field(name: string, value: string): string {
  return `${name.padEnd(10)} ${trimLine(value, ROOM)}`;
}
