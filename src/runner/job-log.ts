import { closeSync, openSync, writeSync } from 'node:fs';
import { stripControls } from '../job/format.ts';
import { mapStrings } from '../job/redaction/map-strings.ts';
import type { RedactingStream, Redactor } from '../job/redaction/redactor.ts';
import { appendEvent } from '../store/events.ts';
import type { RunPaths } from '../store/paths.ts';
import { type Clean, cleaner } from './clean.ts';

const WORKER_LOG_CAP_BYTES = 20 * 1024 * 1024;

/**
 * What a job leaves to read: events for programs, what the worker's commands printed, and our own complaints.
 * Nothing gets into any of them with a secret or a control character in it.
 */
export class JobLog {
  /** Takes control characters and secrets out of a text; to be used before a text is cut. */
  readonly clean: Clean;
  readonly #paths: RunPaths;
  readonly #onError: (error: unknown) => void;
  readonly #output: RedactingStream;
  readonly #decoder = new TextDecoder();
  #workerLog: number | null = null;
  #workerLogBytes = 0;

  /** `onError` hears of a disk that takes no more: the job has to end by it, not to crash. */
  constructor(paths: RunPaths, redactor: Redactor, onError: (error: unknown) => void) {
    this.clean = cleaner(redactor);
    this.#paths = paths;
    this.#output = redactor.stream();
    this.#onError = onError;
  }

  event(t: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const cleaned = Object.entries(fields).map(([name, value]) => [name, mapStrings(value, this.clean)]);
    try {
      const at = new Date().toISOString();
      appendEvent(this.#paths.events, { at, t, ...Object.fromEntries(cleaned) });
    } catch (error) {
      this.#onError(error);
    }
  }

  /** For whoever looks into a failure: goes to the runner's own log. */
  complain(error: unknown): void {
    complain(error, this.clean);
  }

  /** Output of the worker's commands, up to a cap that is named in the log itself. */
  readonly output = (chunk: Uint8Array): void => {
    if (this.#workerLogBytes > WORKER_LOG_CAP_BYTES) return;
    this.#workerLogBytes += chunk.byteLength;
    this.#write(this.#output.write(this.#visible(chunk)));
    if (this.#workerLogBytes <= WORKER_LOG_CAP_BYTES) return;
    this.#write(this.#output.end());
    this.#write(Buffer.from(`\n[the log ends here: ${WORKER_LOG_CAP_BYTES} bytes]\n`));
  };

  close(): void {
    if (this.#workerLogBytes <= WORKER_LOG_CAP_BYTES) this.#write(this.#output.end());
    if (this.#workerLog !== null) closeSync(this.#workerLog);
    this.#workerLog = null;
  }

  /** A log is for reading: what is no UTF-8 becomes a visible mark. */
  #visible(chunk: Uint8Array): Uint8Array {
    return Buffer.from(stripControls(this.#decoder.decode(chunk, { stream: true })));
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    try {
      this.#workerLog ??= openSync(this.#paths.workerLog, 'a', 0o600);
      writeSync(this.#workerLog, bytes);
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** The same before there is a log of a job. */
export function complain(error: unknown, clean: Clean): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${clean(text)}\n`);
}
