import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './storage-error.ts';

export type ProcessRead =
  | { readonly kind: 'found'; readonly startTime: string; readonly state: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

/** The machine's start: the kernel's own id on Linux, `kern.bootsessionuuid` on macOS, '' elsewhere. */
export function bootId(procRoot: string): string {
  try {
    return readFileSync(join(procRoot, 'sys/kernel/random/boot_id'), 'utf8').trim();
  } catch {
    // No Linux /proc.
    return process.platform === 'darwin' ? (run('sysctl', ['-n', 'kern.bootsessionuuid']) ?? '') : '';
  }
}

/** The inode of our own pid namespace, in which the numbers we see are valid; '' where there is none. */
export function pidNamespace(procRoot: string): string {
  try {
    return /\[(\d+)\]/.exec(readlinkSync(join(procRoot, 'self/ns/pid')))?.[1] ?? '';
  } catch {
    // No Linux /proc, so no namespaces.
    return '';
  }
}

/** State and start time of a process: /proc/<pid>/stat (proc_pid_stat(5)), or `ps` where there is no /proc. */
export function readProcess(pid: number, procRoot: string): ProcessRead {
  if (!hasProc(procRoot)) return fromPs(pid);
  try {
    return parseStat(readFileSync(join(procRoot, String(pid), 'stat'), 'latin1'));
  } catch (error) {
    // ESRCH: it ended while we read.
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ESRCH' ? { kind: 'absent' } : { kind: 'unknown' };
  }
}

/** The second field is the program's name and may hold blanks and brackets, so count from the last `)`. */
export function parseStat(text: string): ProcessRead {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  const state = fields[0];
  // Field 22 of the whole line: the start, in clock ticks since boot.
  const startTime = fields[19];
  if (!text.includes(')') || state === undefined || startTime === undefined || !/^\d+$/.test(startTime)) {
    return { kind: 'unknown' };
  }
  return { kind: 'found', startTime, state };
}

function hasProc(procRoot: string): boolean {
  try {
    readlinkSync(join(procRoot, 'self/ns/pid'));
    return true;
  } catch {
    // macOS and the BSDs.
    return false;
  }
}

function fromPs(pid: number): ProcessRead {
  const line = run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  // ps ends with 1 when there is no such process; it is there on every POSIX system.
  if (line === null || line === '') return { kind: 'absent' };
  const [state = '', ...start] = line.split(/\s+/);
  return { kind: 'found', startTime: start.join(' '), state: state.slice(0, 1) };
}

function run(program: string, args: readonly string[]): string | null {
  try {
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
    // Asked for here, not above: loading it is a tenth of a hook's start, and Linux has /proc.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    return execFileSync(program, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw error;
    // It ended with an error: it has nothing to tell.
    return null;
  }
}
