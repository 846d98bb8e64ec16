import type { JobId } from '../job/ids.ts';
import type { JobRecord, RunnerIdentity } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { checkMove, type Move } from '../job/transition.ts';
import { UserError } from '../job/user-error.ts';
import { publish, saveProgress } from './jobs.ts';
import type { Store } from './open.ts';

/** Somebody else writes this job now. The only right thing to do is to stop. */
export class Fenced extends Error {
  readonly id: JobId;

  constructor(id: JobId) {
    super(`${id} is written by somebody else now`);
    this.name = 'Fenced';
    this.id = id;
  }
}

/** What a writer may change; the rest is the writer's own or never changes. */
export type RecordPatch = Partial<
  Omit<JobRecord, 'schema' | 'rev' | 'id' | 'kind' | 'state' | 'reason' | 'updatedAt'>
>;

export interface WriterOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Runs `act` after `ms`; returns how to take it back. */
  readonly schedule?: (act: () => void, ms: number) => () => void;
  /** Called once, when a save outside of any call of ours finds that the job has another writer. */
  readonly onFenced?: (error: Fenced) => void;
  /** Changes every patch before it is laid over the record, e.g. takes secrets out of its texts. */
  readonly clean?: (patch: RecordPatch) => RecordPatch;
  /** Called after every save with what was saved, never before. Must not throw. */
  readonly saved?: (record: JobRecord) => void;
}

const SAVE_EVERY_MS = 1000;

/** The one live writer of a job; every change of a record that has a runner passes through here. */
export class JobWriter {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #schedule: (act: () => void, ms: number) => () => void;
  readonly #onFenced: ((error: Fenced) => void) | undefined;
  readonly #clean: (patch: RecordPatch) => RecordPatch;
  readonly #saved: ((record: JobRecord) => void) | undefined;
  #record: JobRecord;
  #dirty = false;
  #fenced = false;
  #savedAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | null = null;

  /** `record` is what the store holds now. */
  constructor(store: Store, record: JobRecord, options: WriterOptions = {}) {
    this.#store = store;
    this.#record = record;
    this.#now = options.now ?? Date.now;
    this.#schedule = options.schedule ?? later;
    this.#onFenced = options.onFenced;
    this.#clean = options.clean ?? ((patch) => patch);
    this.#saved = options.saved;
  }

  get record(): JobRecord {
    return this.#record;
  }

  /**
   * Publishes a transition; what `progress` kept goes with it. Sets `endedAt` when the job ends, unless the
   * patch does. Throws Fenced, UserError `storage` (then it may be tried again), or an Error for a move that
   * the table forbids: that is a bug.
   */
  move(move: Move, patch: RecordPatch = {}): JobRecord {
    const from = this.#record;
    const check = checkMove(from.kind, from.state, move);
    if (!check.ok) throw new Error(`${from.id}: ${check.why}`);
    const at = this.#instant();
    const ended = isTerminal(move.to) ? { endedAt: at } : {};
    const cleaned = this.#clean(patch);
    return this.#publish({
      ...from,
      ...ended,
      ...cleaned,
      state: move.to,
      reason: move.reason,
      updatedAt: at,
    });
  }

  /** Publishes a revision in the same state, for what must not be lost; throws as `move` does. */
  amend(patch: RecordPatch): JobRecord {
    return this.#publish({ ...this.#record, ...this.#clean(patch), updatedAt: this.#instant() });
  }

  /**
   * Keeps a change and saves it at most once a second, so that a kill costs a second of it at most. Throws
   * Fenced. A full disk is not reported here: the change is kept, and tried again a second later.
   */
  progress(patch: RecordPatch): void {
    this.#refuseFenced();
    this.#record = { ...this.#record, ...this.#clean(patch), updatedAt: this.#instant() };
    this.#dirty = true;
    const wait = this.#savedAt + SAVE_EVERY_MS - this.#now();
    // Above the interval the clock was set back.
    if (wait <= 0 || wait > SAVE_EVERY_MS) this.#saveBestEffort();
    else this.#saveLater(wait);
  }

  /** Saves what `progress` kept, now. Throws Fenced or UserError `storage`. */
  flush(): void {
    this.#refuseFenced();
    this.#stopTimer();
    if (!this.#dirty) return;
    this.#savedAt = this.#now();
    if (saveProgress(this.#store, this.#record) === 'fenced') this.#becomeFenced();
    this.#dirty = false;
    this.#saved?.(this.#record);
  }

  #publish(next: JobRecord): JobRecord {
    this.#refuseFenced();
    const record = { ...next, rev: this.#record.rev + 1 };
    if (publish(this.#store, record) === 'fenced') this.#becomeFenced();
    this.#stopTimer();
    this.#record = record;
    this.#dirty = false;
    this.#savedAt = this.#now();
    this.#saved?.(record);
    return record;
  }

  #saveLater(wait: number): void {
    this.#cancelTimer ??= this.#schedule(() => {
      this.#cancelTimer = null;
      try {
        this.#saveBestEffort();
      } catch (error) {
        // Nobody called us, so there is nobody to throw to but the one who asked to be told.
        if (!(error instanceof Fenced)) throw error;
        this.#onFenced?.(error);
      }
    }, wait);
  }

  #saveBestEffort(): void {
    try {
      this.flush();
    } catch (error) {
      // Progress may wait for a full disk; the next transition may not, and reports it.
      if (!(error instanceof UserError)) throw error;
      this.#saveLater(SAVE_EVERY_MS);
    }
  }

  #becomeFenced(): never {
    this.#fenced = true;
    this.#stopTimer();
    throw new Fenced(this.#record.id);
  }

  #refuseFenced(): void {
    if (this.#fenced) throw new Fenced(this.#record.id);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  /** A clock that was set back must not make a job younger. */
  #instant(): string {
    return new Date(Math.max(this.#now(), Date.parse(this.#record.updatedAt))).toISOString();
  }
}

/**
 * Takes over a job that has no runner yet: the revision with our identity is the claim, so that of two
 * runners one gets Fenced. Throws as `move` does, and an Error for a job that has a runner or has ended.
 */
export function claimJob(
  store: Store,
  record: JobRecord,
  runner: RunnerIdentity,
  options: WriterOptions = {},
): JobWriter {
  if (record.runner !== null || isTerminal(record.state)) throw new Fenced(record.id);
  const writer = new JobWriter(store, record, options);
  writer.amend({ runner });
  return writer;
}

/** Unreferenced: a save that is due must not keep a process alive; who ends in order calls `flush`. */
function later(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
