import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../job/user-error.ts';
import { writeAtomic } from './atomic-file.ts';
import { ensureFolder, namesIn } from './folders.ts';
import { repositoriesFolder, repositoryFile } from './paths.ts';
import { readSmallFile } from './small-file.ts';

/** A repository with a store, so that a job can be found from anywhere. */
export interface KnownRepository {
  readonly path: string;
  /** Where its workspaces are. */
  readonly stateDir: string;
}

const absolute = z.string().refine((path) => isAbsolute(path) && !path.includes('\0'));
const repository = z.object({ path: absolute, stateDir: absolute });

/**
 * Notes a repository in the user's directory. Returns null, or a warning in words when that cannot be written:
 * a read-only home takes away only finding jobs from elsewhere, and must not stop anything.
 */
export function registerRepository(userDir: string, known: KnownRepository): string | null {
  const path = repositoryFile(userDir, known.path);
  const text = `${JSON.stringify({ path: known.path, stateDir: known.stateDir })}\n`;
  const current = readSmallFile(path, 64 * 1024);
  if (current.kind === 'ok' && current.text === text) return null;
  try {
    ensureFolder(repositoriesFolder(userDir));
    writeAtomic(path, text, { durable: false });
    return null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `this repository's jobs will not be found from elsewhere: ${error.message}`;
  }
}

/** The repositories that were noted and still exist, ordered by path. What cannot be read is left out. */
export function knownRepositories(userDir: string): KnownRepository[] {
  return noted(userDir).filter((known) => isFolder(known.path));
}

/** Those that were noted and are not there any more, ordered by path: moved, deleted, or on a disk that is away. */
export function missingRepositories(userDir: string): KnownRepository[] {
  return noted(userDir).filter((known) => !isFolder(known.path));
}

function noted(userDir: string): KnownRepository[] {
  const folder = repositoriesFolder(userDir);
  return names(folder)
    .flatMap((name) => read(join(folder, name)) ?? [])
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function names(folder: string): string[] {
  try {
    return namesIn(folder).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  } catch (error) {
    // A home that cannot be read knows no repository; the one at hand still works.
    if (error instanceof UserError) return [];
    throw error;
  }
}

function read(path: string): KnownRepository | null {
  const file = readSmallFile(path, 64 * 1024);
  if (file.kind !== 'ok') return null;
  try {
    return repository.parse(JSON.parse(file.text));
  } catch {
    // Broken by hand or by an older program: registering it again puts it right.
    return null;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
