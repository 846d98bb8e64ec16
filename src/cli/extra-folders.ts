import { existsSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { homeDirectory, type PathEnvironment, stateDirectory, userDirectory } from '../store/paths.ts';
import { realPathOrNull } from '../workspace/real-path.ts';
import type { Repository } from '../workspace/repository.ts';
import { isAtOrBelow } from '../workspace/sandbox/mounts.ts';
import { isBoundModel } from './model-caller.ts';
import { usage } from './parse.ts';
import type { VerbContext } from './verb.ts';

/** What is around the job: where keys lie that no worker is to read, and what the user has allowed for models. */
export interface ExtraFoldersAround {
  readonly repository: Pick<Repository, 'checkout' | 'commonDir' | 'home'> | null;
  /** The setting `addDirs`: absolute. */
  readonly allowed: readonly string[];
}

/**
 * Folders beside the workspace that a worker may read, as typed (`--add-dir`), each as its absolute real path, once.
 * Throws UserError: exit 2 for what is no folder, exit 5 for one that holds, or is in, what no worker is to read, and
 * for a calling model one that is not below a folder of the user's `addDirs`.
 */
export function extraFolders(
  context: VerbContext,
  typed: readonly string[],
  around: ExtraFoldersAround,
): string[] {
  const folders = typed.map((each) => ({ typed: each, real: realFolder(context.cwd, each) }));
  const kept = privatePlaces(context.env, around.repository);
  for (const { typed: name, real } of folders) {
    const why = whyPrivate(real, kept);
    if (why !== null) throw refused(`a worker is not given a folder that ${why}`, name);
    if (needsYes(context, name) && !isAllowed(real, around.allowed)) {
      throw new UserError({
        code: 'needs_the_user',
        what: 'only the user may give a worker a folder that their setting addDirs does not hold',
        value: name,
        remedy: 'leave --add-dir out, or ask the user to run this in a terminal',
        exit: EXIT.refused,
      });
    }
  }
  return [...new Set(folders.map(({ real }) => real))];
}

/** A model does, unless the person has said yes to this very folder: a yes is to what it was asked for. */
function needsYes(context: VerbContext, typed: string): boolean {
  const { consent } = context;
  if (consent === null || consent.kind === 'dialog') return isBoundModel(context);
  return !consent.words.some((word) => word === typed || word === `--add-dir=${typed}`);
}

/** Is this folder at or below one of the setting's, links followed? One of them that is not there holds nothing. */
export function isAllowed(real: string, allowed: readonly string[]): boolean {
  return allowed.some((each) => {
    const root = realPathOrNull(each);
    return root !== null && isAtOrBelow(real, root);
  });
}

function realFolder(cwd: string, typed: string): string {
  if (typed === '') throw usage('--add-dir takes a folder', typed, 'e.g. --add-dir ../shared');
  const real = realPathOrNull(resolve(cwd, typed));
  if (real === null)
    throw usage('--add-dir takes a folder, and there is none', typed, 'name one that exists');
  if (!statSync(real).isDirectory())
    throw usage('--add-dir takes a folder, and this is a file', typed, 'name the folder it is in');
  return real;
}

interface PrivatePlace {
  readonly path: string;
  /** Behind "a folder that". */
  readonly why: string;
  /** Is what lies below it private too? */
  readonly below: boolean;
}

/** Of a home; what programs keep keys and logins in. */
const KEYS = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.password-store',
  '.claude',
  '.codex',
  '.gemini',
];

/** Of the machine: no files, or everybody's. */
const STORE = '.cc-delegate';
const RECORDS = 'the records and workspaces of jobs are in';
const SYSTEM = ['/proc', '/sys', '/run'];
const SHARED = ['/dev', '/dev/shm', '/etc', '/tmp', '/var/tmp'];

function privatePlaces(
  env: PathEnvironment,
  repository: ExtraFoldersAround['repository'],
): readonly PrivatePlace[] {
  const home = homeDirectory(env);
  const holdsKeys = (path: string): PrivatePlace => ({ path, why: 'keys and logins are in', below: true });
  const holdsOurs = (path: string): PrivatePlace => ({
    path,
    why: RECORDS,
    below: true,
  });
  const places = [
    { path: home, why: 'your whole home is in', below: false },
    ...(repository === null ? [] : [wholeCheckout(repository.checkout)]),
    ...KEYS.map((name) => holdsKeys(join(home, name))),
    ...SYSTEM.map((path) => ({ path, why: 'belongs to the machine', below: true })),
    ...SHARED.map((path) => ({ path, why: 'is everybody’s', below: false })),
    holdsOurs(userDirectory(env)),
    holdsOurs(stateDirectory(env)),
    ...(repository === null
      ? []
      : [
          // A linked worktree has its records in the main one.
          ...(repository.home === null ? [] : [holdsOurs(join(repository.home, STORE))]),
          { path: repository.commonDir, why: 'the history of this repository is in', below: true },
        ]),
  ];
  return places.flatMap((place) => {
    const real = realPathOrNull(place.path);
    // A folder around a private place is private although nothing is there yet.
    return real === null || real === place.path ? [place] : [place, { ...place, path: real }];
  });
}

function wholeCheckout(path: string): PrivatePlace {
  return { path, why: 'the checkout is in: the worker has a clone of it', below: false };
}

function whyPrivate(folder: string, kept: readonly PrivatePlace[]): string | null {
  const found = kept.find(
    ({ path, below }) => isAtOrBelow(path, folder) || (below && isAtOrBelow(folder, path)),
  );
  if (found !== undefined) return found.why;
  // Of any repository, whoever's jobs they are.
  return folder.split(sep).includes(STORE) || existsSync(join(folder, STORE)) ? RECORDS : null;
}

function refused(what: string, value: string): UserError {
  return new UserError({
    code: 'private_folder',
    what,
    value,
    remedy: 'name a folder further down, with nothing in it but what the worker is to read',
    exit: EXIT.refused,
  });
}
