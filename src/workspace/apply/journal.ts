import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EXIT, UserError } from '../../job/user-error.ts';
import { writeAtomic } from '../../store/atomic-file.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { errorCode, storageError } from '../../store/storage-error.ts';
import { PathState } from './path-state.ts';

const Entry = z.object({ mode: z.string(), oid: z.string() }).nullable();

/**
 * One apply, written before anything is touched: enough to take it back whenever the process ends.
 * - `prepared`: files may be half written, the index is as before. Taken back by the next call.
 * - `committing`: all files are written; applied if the index already has the new bytes.
 * - `applied`: can be undone.
 * - `undoing`: being undone; the next call finishes it.
 */
export const Journal = z.object({
  version: z.literal(1),
  phase: z.enum(['prepared', 'committing', 'applied', 'undoing']),
  token: z.string(),
  checkout: z.string(),
  gitDir: z.string(),
  base: z.string(),
  result: z.string(),
  head: z.string().nullable(),
  /** The commit that HEAD moves to, when the user asked for one. */
  commit: z.string().nullable(),
  paths: z.array(z.object({ path: z.string(), before: PathState, after: PathState })),
  createdFolders: z.array(z.string()),
  removedFolders: z.array(z.object({ path: z.string(), mode: z.number() })),
  index: z.object({
    entries: z.array(z.object({ path: z.string(), before: Entry, after: Entry })),
    /** SHA-256 of the file's bytes; null when there is no index file. */
    sha256Before: z.string().nullable(),
    /** Null until it is about to be put in place, or when apply leaves the index alone. */
    sha256After: z.string().nullable(),
    /** Of all entries after apply: IndexListing.digest. */
    digestAfter: z.string(),
  }),
  undo: z
    .object({
      /** The file in the journal's folder that becomes the index; null leaves the index alone. */
      indexFile: z.string().nullable(),
      sha256Start: z.string().nullable(),
      moveHead: z.boolean(),
    })
    .nullable(),
});
export type Journal = z.infer<typeof Journal>;

/** A journal and the folder it stands in, with the saved bytes beside it. */
export interface OpenJournal {
  readonly folder: string;
  readonly journal: Journal;
}

const NAME = 'journal.json';
const MAX_BYTES = 1 << 28;

/** The name of the saved bytes of the n-th path. */
export function savedName(position: number): string {
  return `old-${position}`;
}

/** The saved bytes of the whole index. */
export const SAVED_INDEX = 'index';

/** Makes an empty folder for the next apply below `applied`, mode 0700. */
export function newJournalFolder(applied: string): string {
  const last = generations(applied).at(-1) ?? '0';
  const folder = join(applied, String(Number(last) + 1).padStart(6, '0'));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storageError('write', folder, error);
  }
  return folder;
}

/** Replaces the journal in one durable step. Throws UserError `storage`. */
export function saveJournal(folder: string, journal: Journal): OpenJournal {
  writeAtomic(join(folder, NAME), JSON.stringify(journal), { durable: true });
  return { folder, journal };
}

/** All applies of a job that are not taken back, oldest first. A folder without a journal changed nothing. */
export function readJournals(applied: string): OpenJournal[] {
  return generations(applied).flatMap((name) => {
    const folder = join(applied, name);
    const file = readSmallFile(join(folder, NAME), MAX_BYTES);
    if (file.kind === 'absent') return [];
    return [{ folder, journal: parse(folder, file.kind === 'ok' ? file.text : '') }];
  });
}

export function removeJournal(folder: string): void {
  // The journal goes first: bytes without one mean nothing, a journal without its bytes is broken.
  rmSync(join(folder, NAME), { force: true });
  rmSync(folder, { recursive: true, force: true });
}

function parse(folder: string, text: string): Journal {
  try {
    return Journal.parse(JSON.parse(text));
  } catch (error) {
    throw new UserError(
      {
        code: 'journal_unreadable',
        what: 'the journal of an earlier apply cannot be read',
        value: join(folder, NAME),
        remedy: `look at git status; the bytes from before are in ${folder}: move it away when done`,
        exit: EXIT.environment,
      },
      { cause: error },
    );
  }
}

function generations(applied: string): string[] {
  try {
    return readdirSync(applied)
      .filter((name) => /^\d{6}$/.test(name))
      .sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageError('read', applied, error);
  }
}
