import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs';
import { appendEvent } from '../store/events.ts';
import type { RunPaths } from '../store/paths.ts';

const WORKER_LOG_CAP_BYTES = 20 * 1024 * 1024;

/** What a job leaves to read: events for programs, and what the worker's commands printed. */
export class JobLog {
  readonly #paths: RunPaths;
  readonly #onError: (error: unknown) => void;
  #workerLog: number | null = null;
  #workerLogBytes = 0;

  /** `onError` hears of a disk that takes no more: the job has to end by it, not to crash. */
  constructor(paths: RunPaths, onError: (error: unknown) => void) {
    this.#paths = paths;
    this.#onError = onError;
  }

  event(t: string, fields: Readonly<Record<string, unknown>> = {}): void {
    try {
      appendEvent(this.#paths.events, { at: new Date().toISOString(), t, ...fields });
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Output of the worker's commands, up to a cap that is named in the log itself. */
  readonly output = (chunk: Uint8Array): void => {
    if (this.#workerLogBytes > WORKER_LOG_CAP_BYTES) return;
    this.#workerLogBytes += chunk.byteLength;
    try {
      this.#workerLog ??= openSync(this.#paths.workerLog, 'a', 0o600);
      writeSync(this.#workerLog, chunk);
      if (this.#workerLogBytes > WORKER_LOG_CAP_BYTES) {
        appendFileSync(this.#workerLog, `\n[the log ends here: ${WORKER_LOG_CAP_BYTES} bytes]\n`);
      }
    } catch (error) {
      this.#onError(error);
    }
  };

  close(): void {
    if (this.#workerLog !== null) closeSync(this.#workerLog);
    this.#workerLog = null;
  }
}
