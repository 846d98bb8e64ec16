import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcess } from '../../store/process-table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Who calls the program. A model has a session, if one is known, and that session a person in front of it, or not. */
export type Caller =
  | { readonly kind: 'person' }
  | { readonly kind: 'model'; readonly session: string | null; readonly isAttended: boolean };

/**
 * A model calls when the client's variables are there, or a worker's, or when one of our parents is the client of a
 * recorded session: variables can be taken away, parents cannot.
 */
export function callerOf(env: Environment, userDir: string, pid: number = process.ppid): Caller {
  const isMarked = isSet(env.CLAUDECODE) || isSet(env.CC_DELEGATE_WORKER);
  const session = isSet(env.CLAUDE_CODE_SESSION_ID)
    ? (env.CLAUDE_CODE_SESSION_ID ?? null)
    : sessionAbove(userDir, pid);
  if (!isMarked && session === null) return { kind: 'person' };
  return { kind: 'model', session, isAttended: env.CLAUDE_CODE_SESSION_ATTENDED !== '0' };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}

/** More parents than anybody has; a loop in what we read must end. */
const MOST_PARENTS = 64;

function sessionAbove(userDir: string, from: number): string | null {
  const sessions = recordedSessions(userDir);
  if (sessions.length === 0) return null;
  let pid = from;
  for (let step = 0; step < MOST_PARENTS && pid > 1; step += 1) {
    for (const session of sessions) {
      if (session.pid !== pid) continue;
      const process = readProcess(pid, '/proc');
      if (process.kind === 'found' && process.startTime === session.startTime) return session.id;
    }
    const parent = parentOf(pid);
    if (parent === null) return null;
    pid = parent;
  }
  return null;
}

/** Field 4 of /proc/<pid>/stat (proc_pid_stat(5)); null where there is none: then the variables are all we have. */
function parentOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const parent = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
    return Number.isSafeInteger(parent) ? parent : null;
  } catch {
    // No /proc, or the process has ended.
    return null;
  }
}

interface RecordedSession {
  readonly id: string;
  readonly pid: number;
  readonly startTime: string;
}

function recordedSessions(userDir: string): RecordedSession[] {
  const folder = join(userDir, 'sessions');
  try {
    return readdirSync(folder).flatMap((name) => {
      const session = /^[A-Za-z0-9_-]+\.json$/.test(name) ? read(join(folder, name)) : null;
      return session === null ? [] : [session];
    });
  } catch {
    // No session was ever recorded.
    return [];
  }
}

function read(path: string): RecordedSession | null {
  try {
    const { sessionId, pid, startTime, endedAt } = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof sessionId !== 'string' || typeof pid !== 'number' || typeof startTime !== 'string')
      return null;
    return typeof endedAt === 'string' ? null : { id: sessionId, pid, startTime };
  } catch {
    // Gone or not ours: nobody can be recognised by it.
    return null;
  }
}
