import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { JobId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';

/** The part of the environment that says where things are. `process.env` fits. */
export type PathEnvironment = Readonly<Record<string, string | undefined>>;

/** The folders of one repository's store. */
export interface StorePaths {
  readonly root: string;
  /** Snapshots, `<id>.json`. */
  readonly jobs: string;
  /** One empty file for each job that has not ended. */
  readonly active: string;
  readonly runs: string;
  readonly comm: string;
  /** What cleanup leaves. */
  readonly removed: string;
  /** What the status line shows, one small file a job; only hints, so nothing depends on them. */
  readonly lines: string;
}

/** Everything of one run. */
export interface RunPaths {
  readonly folder: string;
  readonly revisions: string;
  readonly task: string;
  readonly events: string;
  readonly transcript: string;
  readonly workerLog: string;
  readonly runnerLog: string;
  readonly patch: string;
  readonly receipt: string;
  /** What an ask's model answered, whole. */
  readonly answer: string;
  readonly leftovers: string;
  readonly applied: string;
}

/** What a job has outside the repository. */
export interface WorkspacePaths {
  readonly folder: string;
  readonly work: string;
  readonly home: string;
  readonly temp: string;
  readonly collector: string;
  readonly gate: string;
  /** Says whose folder this is; nothing is removed without it. */
  readonly marker: string;
}

/** Where the user's own files are: `CC_DELEGATE_HOME`, else `~/.cc-delegate`. Throws for a relative path. */
export function userDirectory(env: PathEnvironment): string {
  return fromVariable(env, 'CC_DELEGATE_HOME') ?? join(homeDirectory(env), '.cc-delegate');
}

/**
 * Where workspaces are: `CC_DELEGATE_STATE`, else `$XDG_STATE_HOME/cc-delegate`, else
 * `~/.local/state/cc-delegate`. A relative XDG_STATE_HOME is ignored (XDG Base Directory Specification).
 */
export function stateDirectory(env: PathEnvironment): string {
  const own = fromVariable(env, 'CC_DELEGATE_STATE');
  if (own !== null) return own;
  const xdg = env.XDG_STATE_HOME ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homeDirectory(env), '.local', 'state'), 'cc-delegate');
}

/** The home of the user this runs for. */
export function homeDirectory(env: PathEnvironment): string {
  return env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
}

/** A relative path would mean another folder for the runner than for the command that started it. */
function fromVariable(env: PathEnvironment, name: string): string | null {
  const value = env[name];
  if (value === undefined || value === '') return null;
  if (isAbsolute(value)) return value;
  throw new UserError({
    code: 'relative_path',
    what: `${name} must be an absolute path`,
    value,
    remedy: `set ${name} to an absolute path, or unset it`,
    exit: EXIT.usage,
  });
}

export function storeFolder(repo: string): string {
  return join(repo, '.cc-delegate');
}

/** The working tree whose store holds `path`; null for a path in no store. */
export function workingTreeOf(path: string): string | null {
  const at = `${path}/`.lastIndexOf('/.cc-delegate/');
  return at === -1 ? null : path.slice(0, at);
}

export function storePaths(repo: string): StorePaths {
  const root = storeFolder(repo);
  return {
    root,
    jobs: join(root, 'jobs'),
    active: join(root, 'active'),
    runs: join(root, 'runs'),
    comm: join(root, 'comm'),
    removed: join(root, 'removed'),
    lines: join(root, 'lines'),
  };
}

export function ignoreFile(store: StorePaths): string {
  return join(store.root, '.gitignore');
}

export function snapshotPath(store: StorePaths, id: JobId): string {
  return join(store.jobs, `${id}.json`);
}

export function activeMarker(store: StorePaths, id: JobId): string {
  return join(store.active, id);
}

export function runPaths(store: StorePaths, id: JobId): RunPaths {
  const folder = join(store.runs, id);
  return {
    folder,
    revisions: join(folder, 'rev'),
    task: join(folder, 'task.json'),
    events: join(folder, 'events.ndjson'),
    transcript: join(folder, 'transcript.ndjson'),
    workerLog: join(folder, 'worker.log'),
    runnerLog: join(folder, 'runner.log'),
    patch: join(folder, 'result.patch'),
    receipt: join(folder, 'receipt.json'),
    answer: join(folder, 'answer.md'),
    leftovers: join(folder, 'leftovers.json'),
    applied: join(folder, 'applied'),
  };
}

export function revisionPath(store: StorePaths, id: JobId, rev: number): string {
  return join(runPaths(store, id).revisions, `${rev}.json`);
}

/** The n-th process that set out to salvage this job, from 1. */
export function salvagerClaim(store: StorePaths, id: JobId, number: number): string {
  return join(runPaths(store, id).folder, `salvager.${number}.json`);
}

export function commFolder(store: StorePaths, id: JobId): string {
  return join(store.comm, id);
}

/** The two mailboxes of a job: `in` is read by the runner, `out` by everybody else. */
export function commPaths(store: StorePaths, id: JobId): { readonly in: string; readonly out: string } {
  const folder = commFolder(store, id);
  return { in: join(folder, 'in'), out: join(folder, 'out') };
}

export function removedPaths(
  store: StorePaths,
  id: JobId,
): { readonly tombstone: string; readonly patch: string } {
  return { tombstone: join(store.removed, `${id}.json`), patch: join(store.removed, `${id}.patch`) };
}

/** Below `<state>/<hash of the repository's path>/<id>/`. `repo` is the path `openStore` resolved. */
export function workspacePaths(stateDir: string, repo: string, id: JobId): WorkspacePaths {
  const folder = join(stateDir, repositoryHash(repo), id);
  return {
    folder,
    work: join(folder, 'work'),
    home: join(folder, 'home'),
    temp: join(folder, 'tmp'),
    collector: join(folder, 'collector'),
    gate: join(folder, 'gate'),
    marker: join(folder, 'marker.json'),
  };
}

/** The user's list of repositories that have a store, one file each. */
export function repositoryFile(userDir: string, repo: string): string {
  return join(repositoriesFolder(userDir), `${repositoryHash(repo)}.json`);
}

export function repositoriesFolder(userDir: string): string {
  return join(userDir, 'repos');
}

/** 16 hexadecimal digits: short enough for sockets below it, long enough never to meet another. */
export function repositoryHash(repo: string): string {
  // Asked for here, not above: loading it is a tenth of a hook's start, and few hooks need it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(repo).digest('hex').slice(0, 16);
}
