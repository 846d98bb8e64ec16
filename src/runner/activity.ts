import type { EngineEvent } from '../engine/engine.ts';
import { trimLine } from '../job/format.ts';
import type { JobWriter } from '../store/job-writer.ts';
import type { Account } from './account.ts';
import { checkpoint } from './checkpoint.ts';
import type { JobLog } from './job-log.ts';
import type { Watchdogs } from './watchdogs.ts';

const TEXT_KEPT = 2000;

/** The judge: what it does costs money, but is none of the worker's steps and calls. */
export const GRADER = 'grader';

/** Turns what an engine reports into the record's progress, the event log and signs of life. */
export class Activity {
  readonly #writer: JobWriter;
  readonly #log: JobLog;
  readonly #watchdogs: Watchdogs;
  readonly #account: Account;
  readonly #touched = new Set<string>();
  readonly #held = new Map<string, () => void>();
  readonly models = new Set<string>();
  steps = 0;
  toolCalls = 0;
  #toolsEnded = 0;
  /** What stood there before a wait for the endpoint; null while there is none. */
  #ownNote: string | null = null;
  readonly #texts = new Map<string, string>();
  /** Engines count the steps of each run from 1; a job counts them all. This is where each agent is. */
  readonly #stepOf = new Map<string, number>();

  constructor(writer: JobWriter, log: JobLog, watchdogs: Watchdogs, account: Account) {
    this.#writer = writer;
    this.#log = log;
    this.#watchdogs = watchdogs;
    this.#account = account;
  }

  /** The worker's own word on what it does. */
  readonly note = (text: string): void => {
    this.#log.event('progress', { text });
    this.#ownNote = null;
    this.#save({ note: trimLine(this.#log.clean(text), 160) });
    checkpoint('progress:note');
  };

  /** A file tool has changed this path. */
  readonly touched = (path: string): void => {
    if (this.#touched.has(path)) return;
    this.#touched.add(path);
    this.#log.event('touched', { path });
    this.#save({ filesTouched: this.#touched.size });
    checkpoint(`progress:touched:${this.#touched.size}`);
  };

  readonly onEvent = (event: EngineEvent): void => {
    switch (event.t) {
      case 'text':
        this.#texts.set(event.agent, (this.#textOf(event.agent) + event.delta).slice(-2 * TEXT_KEPT));
        this.#watchdogs.active();
        return;
      case 'thinking':
      case 'arguments':
        this.#watchdogs.active();
        return;
      case 'spend':
        this.#spent(event);
        break;
      case 'step_start':
        this.models.add(event.model);
        if (event.agent !== GRADER) this.#stepStarted(event.agent);
        break;
      case 'step_end':
        this.#stepEnded(event.agent);
        break;
      case 'tool_start':
        this.#toolStarted(event);
        return;
      case 'tool_end':
        this.#held.get(heldName(event))?.();
        this.#held.delete(heldName(event));
        this.#toolsEnded += 1;
        checkpoint(`tool:${this.#toolsEnded}:end`);
        break;
      case 'retry':
        this.#waitFor(event.waitMs);
        this.#ownNote ??= this.#writer.record.progress.note;
        this.#save({ note: waitWords(event) });
        break;
      case 'steer_delivered':
        checkpoint('steer:delivered');
        break;
      default:
        break;
    }
    const { t, ...fields } = event;
    const step = 'step' in fields && { step: this.#stepOf.get(event.agent) ?? fields.step };
    this.#log.event(t, { ...fields, ...step });
  };

  /** This agent is gone: whatever it was doing holds up nothing any more. */
  ended(agent: string): void {
    for (const [name, release] of this.#held) {
      if (!name.startsWith(`${agent} `)) continue;
      release();
      this.#held.delete(name);
    }
  }

  #textOf(agent: string): string {
    return this.#texts.get(agent) ?? '';
  }

  #stepStarted(agent: string): void {
    this.steps += 1;
    this.#stepOf.set(agent, this.steps);
    this.#save({ step: this.steps });
    checkpoint(`step:${this.steps}:start`);
  }

  #spent(event: EngineEvent & { t: 'spend' }): void {
    this.#account.add(event);
    const { usage, usd, basis } = this.#account.spend;
    this.#writer.progress({ usage, costUsd: usd, costBasis: basis });
    checkpoint(`step:${this.steps}:spend`);
  }

  #stepEnded(agent: string): void {
    this.#watchdogs.active();
    if (this.#ownNote !== null) this.#save({ note: this.#ownNote });
    this.#ownNote = null;
    // Cleaned before it is cut, so that no part of a secret is left at the cut.
    const text = this.#log.clean(this.#textOf(agent)).slice(-TEXT_KEPT);
    const by = agent === 'main' ? {} : { agent };
    if (text.trim() !== '') this.#log.event('text', { text, ...by });
    this.#texts.delete(agent);
    if (agent !== GRADER) checkpoint(`step:${this.#stepOf.get(agent)}:end`);
  }

  #toolStarted(event: EngineEvent & { t: 'tool_start' }): void {
    this.#held.set(heldName(event), this.#watchdogs.hold());
    this.#log.event('tool_start', { id: event.id, tool: event.tool, agent: event.agent });
    if (event.agent === GRADER) return;
    this.toolCalls += 1;
    this.#save({ toolCalls: this.toolCalls });
    checkpoint(`tool:${this.toolCalls}:start`);
  }

  /** A provider that asks for patience is not a worker that is silent. */
  #waitFor(ms: number): void {
    setTimeout(this.#watchdogs.hold(), ms).unref();
  }

  #save(patch: Partial<JobWriter['record']['progress']>): void {
    const progress = { ...this.#writer.record.progress, ...patch, lastActivityAt: new Date().toISOString() };
    this.#writer.progress({ progress });
  }
}

function waitWords({ kind, waitMs }: EngineEvent & { t: 'retry' }): string {
  const why = kind === 'rate_limit' ? 'too many requests' : 'the endpoint failed';
  return waitMs === 0 ? `asking again: ${why}` : `waiting ${Math.ceil(waitMs / 1000)} s: ${why}`;
}

/** Calls of two agents may have the same id. */
function heldName({ agent, id }: { readonly agent: string; readonly id: string }): string {
  return `${agent} ${id}`;
}
