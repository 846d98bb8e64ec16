import { existsSync } from 'node:fs';
import { createExclusive } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { readSmallFile } from '../store/small-file.ts';
import {
  adoptedFile,
  deliveriesFolder,
  entryOf,
  heirFile,
  isSessionId,
  ownerFolder,
  sessionsFolder,
} from './places.ts';
import { madeEmpty, namesOf, removed } from './quietly.ts';

/** The session that took this one's jobs over; null when it has them itself. */
export function heirOf(userDir: string, session: string): string | null {
  const file = readSmallFile(heirFile(userDir, session), 200);
  const heir = file.kind === 'ok' ? file.text.trim() : '';
  return isSessionId(heir) && heir !== session ? heir : null;
}

/** This session and those after it, each the heir of the one before. */
export function heirsFrom(userDir: string, session: string): string[] {
  const chain = [session];
  for (let heir = heirOf(userDir, session); heir !== null && !chain.includes(heir); ) {
    chain.push(heir);
    heir = heirOf(userDir, heir);
  }
  return chain;
}

/** Has this session the jobs of that one: it is the same, or it took them over, however often they went on? */
export function hasJobsOf(userDir: string, session: string | null, owner: string | null): boolean {
  if (session === null || owner === null) return false;
  return session === owner || (isSessionId(owner) && heirsFrom(userDir, owner).includes(session));
}

/**
 * Takes another session's jobs over: of many that try exactly one gets true. Its notices stay where they are; the
 * heir's folder says that they are the heir's as well. Throws UserError `storage`.
 */
export function adopt(userDir: string, from: string, heir: string): boolean {
  ensureFolder(sessionsFolder(userDir));
  if (createExclusive(heirFile(userDir, from), `${heir}\n`) === 'exists') return false;
  if (namesOf(ownerFolder(userDir, from)).length > 0) pointTo(userDir, from, heir);
  return true;
}

/** A session that goes on has its own jobs again. */
export function reclaim(userDir: string, session: string): void {
  const heir = heirOf(userDir, session);
  removed(heirFile(userDir, session));
  if (heir !== null) removed(adoptedFile(ownerFolder(userDir, heir), session));
}

/** Makes every heir along the chain find the folder before it. */
export function pointAlong(userDir: string, chain: readonly string[]): void {
  for (const [at, heir] of chain.entries()) {
    const from = chain[at - 1];
    if (from !== undefined) pointTo(userDir, from, heir);
  }
}

function pointTo(userDir: string, from: string, heir: string): void {
  const folder = ownerFolder(userDir, heir);
  // Again, where somebody found the folder empty and took it away in between.
  for (let tries = 0; tries < 3; tries += 1) {
    ensureFolder(folder);
    if (madeEmpty(adoptedFile(folder, from)) || existsSync(adoptedFile(folder, from))) return;
  }
}

/** Whose notices a session gets: its own, and, however often they went from one to the next, those it took over. */
export function ownersFor(userDir: string, session: string): string[] {
  const owners = [session];
  // Grows while it is walked.
  for (const owner of owners) {
    for (const name of namesOf(ownerFolder(userDir, owner))) {
      const entry = entryOf(name);
      if (entry?.kind === 'adopted' && !owners.includes(entry.from)) owners.push(entry.from);
    }
  }
  return owners;
}

/** Every owner that has something. */
export function allOwners(userDir: string): string[] {
  return namesOf(deliveriesFolder(userDir)).filter(isSessionId);
}
