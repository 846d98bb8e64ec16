import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOTHING } from './line-file.ts';

/** A clock that a shell can read as well, without starting a process. */
export interface LineClock {
  /** Whole seconds. */
  readonly now: number;
  /** The machine's start (the first group of its id), when `now` counts from there; `-` when from the epoch. */
  readonly boot: string;
}

/** Up-time where there is a Linux /proc, else the time of day. `procRoot` is for tests. */
export function lineClock(procRoot = '/proc'): LineClock {
  try {
    const seconds = Number.parseInt(readFileSync(join(procRoot, 'uptime'), 'latin1'), 10);
    const boot = readFileSync(join(procRoot, 'sys/kernel/random/boot_id'), 'latin1').split('-')[0];
    if (Number.isSafeInteger(seconds) && boot) return { now: seconds, boot };
  } catch {
    // No Linux /proc.
  }
  return { now: Math.floor(Date.now() / 1000), boot: NOTHING };
}
