import type { RunnerIdentity } from '../job/record.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { identify, liveness } from '../store/liveness.ts';
import { readSmallFile } from '../store/small-file.ts';
import { isSessionId, sessionFile, sessionsFolder } from './places.ts';
import { namesOf } from './quietly.ts';

/** A session of the client, and the process it runs in. Times are ISO 8601 UTC. */
export interface Session extends RunnerIdentity {
  readonly sessionId: string;
  readonly cwd: string;
  /** The repository whose store its jobs are in; null outside of one. */
  readonly repo: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

const SESSION_READ_BYTES = 64 * 1024;

/** Who the client's process is; null when there is no such process. */
export function clientProcess(pid: number): RunnerIdentity | null {
  try {
    return identify(pid);
  } catch {
    // Not to be found from here: nobody can tell later whether it lives.
    return null;
  }
}

/** Writes down that a session runs. Throws UserError `storage`. */
export function saveSession(userDir: string, session: Session): void {
  ensureFolder(sessionsFolder(userDir));
  const path = sessionFile(userDir, session.sessionId);
  writeAtomic(path, `${JSON.stringify(session)}\n`, { durable: false });
}

/** The session with this id; null when it was never written down, or by somebody else. */
export function readSession(userDir: string, id: string): Session | null {
  const file = readSmallFile(sessionFile(userDir, id), SESSION_READ_BYTES);
  return file.kind === 'ok' ? parseSession(file.text, id) : null;
}

export function allSessions(userDir: string): Session[] {
  return namesOf(sessionsFolder(userDir)).flatMap((name) => {
    const id = /^(.+)\.json$/.exec(name)?.[1];
    return isSessionId(id) ? (readSession(userDir, id) ?? []) : [];
  });
}

function parseSession(text: string, id: string): Session | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Torn or foreign.
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { sessionId, pid, startTime, bootId, pidNamespace, cwd, repo, startedAt, endedAt } = value as Record<
    string,
    unknown
  >;
  if (sessionId !== id || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 2) return null;
  if (!isText(startTime) || !isText(bootId) || !isText(pidNamespace) || !isText(cwd) || !isText(startedAt))
    return null;
  if ((repo !== null && !isText(repo)) || (endedAt !== null && !isText(endedAt))) return null;
  return { sessionId, pid, startTime, bootId, pidNamespace, cwd, repo, startedAt, endedAt };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Is this session over? `unknown` processes of sessions that did not say goodbye are taken to live. */
export function isOver(session: Session): boolean {
  const process = liveness(session);
  return process === 'dead' || (process === 'unknown' && session.endedAt !== null);
}

export function isSameProcess(one: RunnerIdentity, other: RunnerIdentity): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.bootId === other.bootId;
}
