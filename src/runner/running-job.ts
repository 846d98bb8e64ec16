import type { ModelRef } from '../engine/engine.ts';
import type { Redactor } from '../job/redaction/redactor.ts';
import type { Reason } from '../job/states.ts';
import type { Task } from '../job/task.ts';
import type { JobWriter } from '../store/job-writer.ts';
import type { Store } from '../store/open.ts';
import type { RunPaths, WorkspacePaths } from '../store/paths.ts';
import type { JobLog } from './job-log.ts';
import type { StopSwitch } from './stop.ts';
import type { Watchdogs } from './watchdogs.ts';

/** Everything the parts of one run share. */
export interface RunningJob {
  readonly store: Store;
  readonly writer: JobWriter;
  readonly task: Task;
  readonly models: readonly [ModelRef, ...ModelRef[]];
  /** The grader's own; empty: `models` judge. */
  readonly graderModels: readonly ModelRef[];
  /** Of sub-agents, by role. */
  readonly roleModels: Readonly<Record<string, readonly ModelRef[]>>;
  /** For a client's side calls; null: the first of `models` does them. */
  readonly small: ModelRef | null;
  readonly passEnv: Readonly<Record<string, string>>;
  readonly paths: RunPaths;
  readonly places: WorkspacePaths;
  readonly stop: StopSwitch;
  readonly log: JobLog;
  /** For what is written by others than the log. */
  readonly redactor: Redactor;
  /** Knows only what the worker's model has no use for: keys, headers, credentials of endpoints. */
  readonly ownRedactor: Redactor;
  readonly watchdogs: Watchdogs;
}

/** How a job ends: its last transition, and what there is to say about it. */
export interface End {
  readonly to: 'succeeded' | 'failed' | 'timeout' | 'cancelled';
  readonly reason: Reason | null;
  readonly detail: string | null;
}

export function failed(reason: Reason, detail: string): End {
  return { to: 'failed', reason, detail };
}

/** What the stop switch says, as an end; null while nothing has asked to stop. */
export function stopEnd(stop: StopSwitch): End | null {
  const reason = stop.reason;
  if (reason === null) return null;
  if (reason.kind === 'cancelled') return { to: 'cancelled', reason: null, detail: null };
  if (reason.kind === 'timeout') return { to: 'timeout', reason: reason.reason, detail: null };
  return failed(reason.reason, reason.detail);
}
