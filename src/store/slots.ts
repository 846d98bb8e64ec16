import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isJobId, type JobId } from '../job/ids.ts';
import { type Concurrency, type Crowd, mayRun, type Turn, type Waiter } from '../job/queue.ts';
import { writeAtomic } from './atomic-file.ts';
import { ensureFolder, namesIn } from './folders.ts';
import { liveness } from './liveness.ts';
import {
  type Claim,
  claimPath,
  giveBackSlot,
  type Holder,
  livingHolder,
  readClaims,
  removeFile,
  takeSlot,
} from './slot-claims.ts';
import { errorCode } from './storage-error.ts';

type Slot = Omit<Claim, 'holder'>;

/** The folder, in the user's own, in which all jobs of the user wait for each other. */
export function slotsFolder(userDir: string): string {
  return join(userDir, 'slots');
}

const ALL = 'all';

/**
 * One job's way through the queue: a numbered slot among all jobs, and one among those of its provider. There is no
 * scheduler; each runner looks, decides for itself, and claims by `link()`. All methods throw UserError `storage`.
 */
export class Slots {
  readonly folder: string;
  readonly #self: Holder;
  readonly #limits: Concurrency;
  readonly #now: () => number;
  #held: Slot[] = [];
  #waiting = false;

  constructor(folder: string, self: Holder, limits: Concurrency, now: () => number = Date.now) {
    ensureFolder(folder);
    this.folder = folder;
    this.#self = self;
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes a slot if it is this job's turn and there is one. Never waits. */
  tryTake(): Turn {
    const claims = readClaims(this.folder, this.#now());
    const turn = mayRun(this.#self, this.#crowd(claims), this.#limits);
    if (turn.kind === 'wait') return turn;
    // The provider's first: nobody ever holds the one while waiting for the other.
    const taken =
      this.#take(claims, providerPool(this.#self.provider), this.#limits.perProvider) &&
      this.#take(claims, ALL, this.#limits.total);
    if (taken) {
      this.#leaveLine();
      return turn;
    }
    this.#giveBack();
    return { kind: 'wait', why: 'waiting for a slot: another job was faster' };
  }

  /** Stands in line, so that younger jobs let this one go first. */
  standInLine(): void {
    if (this.#waiting) return;
    writeAtomic(this.#line(), JSON.stringify(this.#self), { durable: false });
    this.#waiting = true;
  }

  /** Shows processes that cannot see this one that it lives; to be called every minute. */
  beat(): void {
    const files = this.#held.map((slot) => claimPath(this.folder, slot));
    if (this.#waiting) files.push(this.#line());
    const now = new Date(this.#now());
    for (const file of files) {
      try {
        utimesSync(file, now, now);
      } catch (error) {
        // Somebody emptied the folder: those who can see our process do not look at the time.
        if (errorCode(error) === null) throw error;
      }
    }
  }

  /** Out of the line and off the slots, whatever this job has of them. */
  leave(): void {
    this.#leaveLine();
    this.#giveBack();
  }

  #take(claims: readonly Claim[], pool: string, limit: number): boolean {
    const mine = claims.filter((claim) => claim.pool === pool);
    for (let number = 1; number <= limit; number += 1) {
      const newest = mine.find((claim) => claim.number === number);
      if (newest !== undefined && newest.holder !== null) continue;
      const slot = { pool, number, generation: newest?.generation ?? 0 };
      const generation = takeSlot(this.folder, slot, this.#self, this.#now());
      if (generation === null) continue;
      this.#held.push({ pool, number, generation });
      return true;
    }
    return false;
  }

  #giveBack(): void {
    for (const slot of this.#held.splice(0)) giveBackSlot(this.folder, slot);
  }

  #crowd(claims: readonly Claim[]): Crowd {
    const running = claims.flatMap(({ pool, holder }) => (pool === ALL && holder ? [holder.provider] : []));
    return { running, waiting: this.#waiters() };
  }

  /** Those who stand in line. The dead are taken out of it; the stopped would hold up everybody. */
  #waiters(): Waiter[] {
    return namesIn(this.folder).flatMap((name) => {
      const id = jobInLine(name);
      if (id === null || id === this.#self.job) return [];
      const path = join(this.folder, name);
      const waiter = livingHolder(path, this.#now());
      if (waiter === null) removeFile(path);
      return waiter === null || liveness(waiter.runner) === 'stopped' ? [] : [waiter];
    });
  }

  #leaveLine(): void {
    if (this.#waiting) removeFile(this.#line());
    this.#waiting = false;
  }

  #line(): string {
    return join(this.folder, lineName(this.#self.job));
  }
}

function providerPool(provider: string): string {
  return `of-${provider
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 60)}`;
}

function lineName(job: JobId): string {
  return `wait.${job}.json`;
}

function jobInLine(name: string): JobId | null {
  const id = name.startsWith('wait.') && name.endsWith('.json') ? name.slice(5, -5) : '';
  return isJobId(id) ? id : null;
}
