import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One process as /proc shows it. */
export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Field 22 of /proc/<pid>/stat: clock ticks since boot. With the pid it names one process for good. */
  readonly startTime: number;
  readonly hasTerminal: boolean;
  /** null: not ours to read, or already gone. */
  readonly cwd: string | null;
  readonly environment: ReadonlySet<string>;
}

/** Every living process that can be seen; none where there is no /proc. */
export function seeProcesses(): SeenProcess[] {
  return processIds().flatMap((pid) => seeProcess(pid) ?? []);
}

/** The process with this number, or null when there is none; a zombie counts as none. */
export function seeProcess(pid: number): SeenProcess | null {
  const stat = seeStat(pid);
  if (stat === null || stat.state === 'Z' || stat.state === 'X') return null;
  const { state: _, isKernels, ...rest } = stat;
  // They are half of all there is, have neither, and each failed look costs as much as a whole process.
  if (isKernels) return { ...rest, cwd: null, environment: new Set() };
  return {
    ...rest,
    cwd: orNull(() => readlinkSync(`/proc/${pid}/cwd`)),
    environment: new Set(orNull(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))?.split('\0') ?? []),
  };
}

/** The children of a process, as numbers. */
export function childrenOf(parent: number): number[] {
  return processIds().filter((pid) => seeStat(pid)?.parent === parent);
}

interface Stat extends Omit<SeenProcess, 'cwd' | 'environment'> {
  readonly state: string;
  /** A thread of the kernel, which runs no program. */
  readonly isKernels: boolean;
}

/** Of field 9, the flags; see PF_KTHREAD in the kernel's include/linux/sched.h. */
const KERNEL_THREAD = 0x200000;

/** Fields as in proc(5); the command stands in parentheses and may itself hold anything. */
function seeStat(pid: number): Stat | null {
  const text = orNull(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (text === null) return null;
  const end = text.lastIndexOf(')');
  // The first of these is field 3.
  const fields = text.slice(end + 2).split(' ');
  return {
    pid,
    command: text.slice(text.indexOf('(') + 1, end),
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    hasTerminal: fields[4] !== '0',
    isKernels: (Number(fields[6]) & KERNEL_THREAD) !== 0,
    startTime: Number(fields[19]),
  };
}

function processIds(): number[] {
  const names = orNull(() => readdirSync('/proc')) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** A process may end, or belong to another user, at any moment between two reads: then there is nothing to see. */
function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    // See above: gone or not ours, which is an answer and not an error.
    return null;
  }
}
