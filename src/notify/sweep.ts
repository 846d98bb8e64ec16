import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryOwner } from '../store/atomic-file.ts';
import { GRANT_LIFE_MS } from './consent/grant.ts';
import { ageOf, tidyOwner } from './deliveries.ts';
import {
  bellFile,
  bellsFolder,
  deliveriesFolder,
  entryOf,
  grantsFolder,
  heirFile,
  isSessionId,
  ownerFolder,
  sessionFile,
  sessionsFolder,
} from './places.ts';
import { namesOf, removed, removeIfEmpty } from './quietly.ts';
import { isOver, readSession } from './sessions.ts';

const MONTH_MS = 30 * 24 * 3600 * 1000;
/** How many entries of each folder are looked at, at most: a session that begins waits for it. */
const LOOKS = 20;

/**
 * Takes away what is left of sessions that have been over for a month, notices and notes of jobs that nobody has
 * touched for as long, and consents that can be used no more. Looks at a part of what is there each time, and at
 * another one the next time: where it begins is by `nowMs`, milliseconds since 1970.
 */
export function sweep(userDir: string, nowMs: number): void {
  for (const name of someOf(sessionsFolder(userDir), nowMs)) sweepSession(userDir, name, nowMs);
  for (const id of someOf(bellsFolder(userDir), nowMs).filter(isSessionId)) {
    if (isOld(bellFile(userDir, id), nowMs) && !mayLive(userDir, id)) removed(bellFile(userDir, id));
  }
  for (const id of someOf(grantsFolder(userDir), nowMs).filter(isSessionId)) sweepGrants(userDir, id, nowMs);
  for (const owner of someOf(deliveriesFolder(userDir), nowMs).filter(isSessionId))
    sweepOwner(userDir, owner, nowMs);
}

function someOf(folder: string, nowMs: number): string[] {
  const names = namesOf(folder);
  const first = names.length > LOOKS ? Math.floor(nowMs) % names.length : 0;
  return [...names.slice(first), ...names.slice(0, first)].slice(0, LOOKS);
}

/** What was written down of a session, or who its heir is: of one that nobody wrote down there is that alone. */
function sweepSession(userDir: string, name: string, nowMs: number): void {
  const id = /^(.+)\.(?:json|to)$/.exec(name)?.[1];
  if (!isSessionId(id) || mayLive(userDir, id)) return;
  const paths = [sessionFile(userDir, id), heirFile(userDir, id)];
  // It may have ended a month ago and its jobs been taken over yesterday.
  if (paths.some((path) => existsSync(path) && !isOld(path, nowMs))) return;
  for (const path of paths) removed(path);
}

/** They are of no use long before a session is over. The folder of one that lives is about to be used again. */
function sweepGrants(userDir: string, id: string, nowMs: number): void {
  const folder = join(grantsFolder(userDir), id);
  const isIdle = ageOf(folder, nowMs) > GRANT_LIFE_MS && !mayLive(userDir, id);
  for (const name of namesOf(folder)) {
    const isOurs = name.endsWith('.json') || temporaryOwner(name) !== null;
    if (isOurs && ageOf(join(folder, name), nowMs) > GRANT_LIFE_MS) removed(join(folder, name));
  }
  if (isIdle) removeIfEmpty(folder);
}

function sweepOwner(userDir: string, owner: string, nowMs: number): void {
  const folder = ownerFolder(userDir, owner);
  // Whatever comes or goes in a folder makes it young.
  if (isOld(folder, nowMs) && !mayLive(userDir, owner)) {
    for (const name of namesOf(folder)) if (entryOf(name) !== null) removed(join(folder, name));
  }
  tidyOwner(userDir, owner, nowMs);
}

function isOld(path: string, nowMs: number): boolean {
  return ageOf(path, nowMs) >= MONTH_MS;
}

/** Of a session that nobody wrote down nothing can be known: its age decides. */
function mayLive(userDir: string, id: string): boolean {
  const session = readSession(userDir, id);
  return session !== null && !isOver(session);
}
