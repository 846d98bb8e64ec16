import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { RunnerIdentity } from '../../job/record.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import { createExclusive } from '../../store/atomic-file.ts';
import { identify, liveness } from '../../store/liveness.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { errorCode, storageError } from '../../store/storage-error.ts';
import type { Repository } from '../repository.ts';

const Identity = z.object({
  pid: z.number(),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
}) satisfies z.ZodType<RunnerIdentity>;

const Holder = z.object({
  by: z.literal('cc-delegate apply'),
  token: z.string(),
  runner: Identity,
  /** `applied` folders whose journals have to be looked at if the holder died. */
  journals: z.array(z.string()),
});
type Holder = z.infer<typeof Holder>;

const MAX_BYTES = 1 << 20;

/** Two files that keep others out: our own claim (before other applies) and git's index.lock (before git). */
export interface Claim {
  readonly token: string;
  /** Journals that dead holders left behind, and our own. */
  readonly journals: readonly string[];
  readonly release: () => void;
}

/**
 * Takes the checkout for one apply or undo: first `<claims>/apply-….json` by link, then git's index.lock, as
 * every git command that writes the index does. What a dead process of ours left is taken over. UserError
 * exit 4 when another apply or another git is at work.
 */
export function takeClaim(
  repository: Repository,
  folders: { readonly claims: string; readonly journal: string },
  token: string,
): Claim {
  makeFolder(folders.claims);
  const name = createHash('sha256').update(repository.gitDir).digest('hex').slice(0, 16);
  const claim = join(folders.claims, `apply-${name}.json`);
  const lock = join(repository.gitDir, 'index.lock');
  const taken: string[] = [];
  const release = () => {
    for (const file of taken.reverse()) if (readHolder(file)?.token === token) rmSync(file, { force: true });
  };
  const journals = [...new Set([folders.journal, ...journalsOf(claim), ...journalsOf(lock)])];
  const holder = { by: 'cc-delegate apply', token, runner: identify(), journals } satisfies Holder;
  try {
    for (const [file, refuse] of [[claim, busy] as const, [lock, locked] as const]) {
      if (!hold(file, holder)) throw refuse(file);
      taken.push(file);
    }
  } catch (error) {
    release();
    throw error;
  }
  removeLitter(repository.gitDir);
  return { token, journals, release };
}

/** True when the file is ours now. A dead holder's file is moved away first; of many movers one succeeds. */
function hold(file: string, holder: Holder): boolean {
  const text = JSON.stringify(holder);
  if (createExclusive(file, text) === 'created') return true;
  const dead = readHolder(file);
  if (dead === null || liveness(dead.runner) !== 'dead') return false;
  const aside = `${file}.${holder.token}.dead`;
  try {
    renameSync(file, aside);
  } catch (error) {
    // Somebody else was quicker; the next line finds out who holds it.
    if (errorCode(error) !== 'ENOENT') throw storageError('write', file, error);
  }
  const moved = readHolder(aside);
  // Between the look and the move a living one may have taken it: give it back.
  if (moved !== null && moved.token !== dead.token) createExclusive(file, JSON.stringify(moved));
  rmSync(aside, { force: true });
  return createExclusive(file, text) === 'created';
}

function journalsOf(file: string): readonly string[] {
  return readHolder(file)?.journals ?? [];
}

function readHolder(file: string): Holder | null {
  const found = readSmallFile(file, MAX_BYTES);
  if (found.kind !== 'ok') return null;
  try {
    return Holder.parse(JSON.parse(found.text));
  } catch {
    // Not in our form: somebody else's file, and treated as such.
    return null;
  }
}

const NEW_INDEX = 'index.cc-delegate-';

/** Where the new index stands before it is renamed over the old one: in the same folder. */
export function newIndexPath(gitDir: string, token: string): string {
  return join(gitDir, NEW_INDEX + token);
}

function removeLitter(gitDir: string): void {
  for (const name of readdirSync(gitDir)) {
    if (name.startsWith(NEW_INDEX)) rmSync(join(gitDir, name), { force: true });
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storageError('write', folder, error);
  }
}

function busy(file: string): UserError {
  const pid = readHolder(file)?.runner.pid;
  return new UserError({
    code: 'apply_running',
    what: 'another apply or undo is at work in this checkout',
    value: pid === undefined ? file : `process ${pid}`,
    remedy: `wait for it and try again; if there is none, remove ${file}`,
    exit: EXIT.wrongState,
  });
}

function locked(file: string): UserError {
  return new UserError({
    code: 'index_locked',
    what: 'another git command is at work in this checkout',
    value: file,
    remedy: `wait for it and try again; if there is none, remove ${basename(file)} in ${dirname(file)}`,
    exit: EXIT.wrongState,
  });
}
