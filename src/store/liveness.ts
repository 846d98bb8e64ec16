import type { RunnerIdentity } from '../job/record.ts';
import { bootId, pidNamespace, readProcess } from './process-table.ts';

export type Liveness = 'alive' | 'stopped' | 'dead' | 'unknown';

/**
 * Who a process is, so that another one that gets its number later is not taken for it. Throws an Error when
 * there is no such process. `procRoot` is for tests.
 */
export function identify(pid: number = process.pid, procRoot = '/proc'): RunnerIdentity {
  const found = readProcess(pid, procRoot);
  if (found.kind !== 'found') throw new Error(`no process ${pid} to identify`);
  return {
    pid,
    startTime: found.startTime,
    bootId: bootId(procRoot),
    pidNamespace: pidNamespace(procRoot),
  };
}

/**
 * Does this very process still live? `dead` only when that is certain: the machine has started anew, there
 * is no such process, or another one has its number. Seen from another pid namespace (a container) the
 * number means nothing, and the answer is `unknown`.
 */
export function liveness(identity: RunnerIdentity, procRoot = '/proc'): Liveness {
  const boot = bootId(procRoot);
  if (boot === '' || identity.bootId === '')
    return identity.bootId === boot ? here(identity, procRoot) : 'unknown';
  if (identity.bootId !== boot) return 'dead';
  return here(identity, procRoot);
}

function here(identity: RunnerIdentity, procRoot: string): Liveness {
  if (identity.pidNamespace !== pidNamespace(procRoot)) return 'unknown';
  const found = readProcess(identity.pid, procRoot);
  if (found.kind === 'absent') return 'dead';
  if (found.kind === 'unknown') return 'unknown';
  if (found.startTime !== identity.startTime) return 'dead';
  if (found.state === 'Z' || found.state === 'X' || found.state === 'x') return 'dead';
  return found.state === 'T' || found.state === 't' ? 'stopped' : 'alive';
}

/**
 * Sends a signal to this very process and to nobody else: looks again right before. `gone` when it is dead,
 * `unknown` when that cannot be told or we may not; nothing was sent then.
 */
export function signalRunner(
  identity: RunnerIdentity,
  signal: NodeJS.Signals,
  procRoot = '/proc',
): 'sent' | 'gone' | 'unknown' {
  // 0 and -1 would mean a group or everybody, 1 is the system itself.
  if (!Number.isSafeInteger(identity.pid) || identity.pid < 2) return 'unknown';
  const now = liveness(identity, procRoot);
  if (now === 'dead') return 'gone';
  if (now === 'unknown') return 'unknown';
  try {
    process.kill(identity.pid, signal);
    return 'sent';
  } catch (error) {
    // ESRCH: it ended in this moment. EPERM: it is another user's.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH' ? 'gone' : 'unknown';
  }
}
