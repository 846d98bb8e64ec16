import { join } from 'node:path';
import type { JobId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { repositoryHash } from '../store/paths.ts';

/** Ids of sessions are the client's; one that could leave a folder is none. */
const SESSION = /^[A-Za-z0-9_-]{1,128}$/;

export function isSessionId(text: unknown): text is string {
  return typeof text === 'string' && SESSION.test(text);
}

/** Whose notices a job's are: its session's, else those of its repository's terminals, which nobody is woken by. */
export function ownerOf({ supervisor, repo }: Pick<JobRecord, 'supervisor' | 'repo'>): string {
  return isSessionId(supervisor.sessionId) ? supervisor.sessionId : terminalOwner(repo);
}

export function terminalOwner(repo: string): string {
  return `${TERMINAL}${repositoryHash(repo)}`;
}

export function isTerminalOwner(owner: string): boolean {
  return owner.startsWith(TERMINAL);
}

const TERMINAL = 'terminal-';

export function sessionsFolder(userDir: string): string {
  return join(userDir, 'sessions');
}

export function sessionFile(userDir: string, session: string): string {
  return join(sessionsFolder(userDir), `${session}.json`);
}

/** Names the session that took this one's jobs over; create-only, so that of many exactly one does. */
export function heirFile(userDir: string, session: string): string {
  return join(sessionsFolder(userDir), `${session}.to`);
}

/** The file the client watches for a session. */
export function bellFile(userDir: string, session: string): string {
  return join(bellsFolder(userDir), session);
}

export function bellsFolder(userDir: string): string {
  return join(userDir, 'bells');
}

/** One folder a session, with what the person consented to there. */
export function grantsFolder(userDir: string): string {
  return join(userDir, 'grants');
}

export function deliveriesFolder(userDir: string): string {
  return join(userDir, 'deliveries');
}

/** Exists only while its owner has a job that runs, a notice, or another one's notices. */
export function ownerFolder(userDir: string, owner: string): string {
  return join(deliveriesFolder(userDir), owner);
}

/** One file of an owner's folder, by what its name says. */
export type Entry =
  | { readonly kind: 'active'; readonly job: string }
  | { readonly kind: 'notice' | 'told'; readonly job: string; readonly what: string }
  | { readonly kind: 'adopted'; readonly from: string };

/** What a name in an owner's folder stands for; null for a name of nobody's. */
export function entryOf(name: string): Entry | null {
  const job = /^(t_[0-9a-z]+_[0-9a-z]{6})\.(?:(active)|([A-Za-z0-9_-]{1,64})\.(json|told))$/.exec(name);
  if (job) {
    const [, id = '', active, what = '', ending] = job;
    if (active !== undefined) return { kind: 'active', job: id };
    return { kind: ending === 'json' ? 'notice' : 'told', job: id, what };
  }
  const from = /^(.+)\.adopted$/.exec(name)?.[1];
  return isSessionId(from) ? { kind: 'adopted', from } : null;
}

export function activeFile(folder: string, job: JobId): string {
  return join(folder, `${job}.active`);
}

export function noticeFile(folder: string, job: string, what: string): string {
  return join(folder, `${job}.${what}.json`);
}

/** Who creates it may tell the notice, and nobody after that. */
export function toldFile(folder: string, job: string, what: string): string {
  return join(folder, `${job}.${what}.told`);
}

export function adoptedFile(folder: string, from: string): string {
  return join(folder, `${from}.adopted`);
}
