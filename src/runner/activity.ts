import type { EngineEvent } from '../engine/engine.ts';
import { trimLine } from '../job/format.ts';
import type { JobWriter } from '../store/job-writer.ts';
import type { Account } from './account.ts';
import { checkpoint } from './checkpoint.ts';
import type { JobLog } from './job-log.ts';
import type { Watchdogs } from './watchdogs.ts';

const TEXT_KEPT = 2000;

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
  #text = '';

  constructor(writer: JobWriter, log: JobLog, watchdogs: Watchdogs, account: Account) {
    this.#writer = writer;
    this.#log = log;
    this.#watchdogs = watchdogs;
    this.#account = account;
  }

  /** The worker's own word on what it does. */
  readonly note = (text: string): void => {
    this.#log.event('progress', { text });
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
        this.#text = (this.#text + event.delta).slice(-2 * TEXT_KEPT);
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
        this.steps = event.step;
        this.models.add(event.model);
        this.#save({ step: event.step });
        checkpoint(`step:${event.step}:start`);
        break;
      case 'step_end':
        this.#stepEnded(event.step);
        break;
      case 'tool_start':
        this.#toolStarted(event);
        return;
      case 'tool_end':
        this.#held.get(event.id)?.();
        this.#held.delete(event.id);
        this.#toolsEnded += 1;
        checkpoint(`tool:${this.#toolsEnded}:end`);
        break;
      case 'retry':
        this.#waitFor(event.waitMs);
        this.#save({ note: trimLine(`waiting ${Math.ceil(event.waitMs / 1000)} s: ${event.kind}`, 160) });
        break;
      case 'steer_delivered':
        checkpoint('steer:delivered');
        break;
      default:
        break;
    }
    const { t, ...fields } = event;
    this.#log.event(t, fields);
  };

  #spent(event: EngineEvent & { t: 'spend' }): void {
    this.#account.add(event);
    const { usage, usd, basis } = this.#account.spend;
    this.#writer.progress({ usage, costUsd: usd, costBasis: basis });
    checkpoint(`step:${this.steps}:spend`);
  }

  #stepEnded(step: number): void {
    this.#watchdogs.active();
    // Cleaned before it is cut, so that no part of a secret is left at the cut.
    const text = this.#log.clean(this.#text).slice(-TEXT_KEPT);
    if (text.trim() !== '') this.#log.event('text', { text });
    this.#text = '';
    checkpoint(`step:${step}:end`);
  }

  #toolStarted(event: EngineEvent & { t: 'tool_start' }): void {
    this.toolCalls += 1;
    this.#held.set(event.id, this.#watchdogs.hold());
    this.#log.event('tool_start', { id: event.id, tool: event.tool, agent: event.agent });
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
