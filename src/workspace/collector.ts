import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitAnswer, GitError, type GitOptions, hostGit, hostGitArgv } from './git.ts';
import { makeGitDirectory } from './git-directory.ts';
import type { Repository } from './repository.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

const LIST_LIMIT_BYTES = 256 * 1024 * 1024;
const GIT_LIMIT_MS = 600_000;

/** What an `inside` git may do beside what it is told. */
export interface InsideOptions {
  readonly input?: Uint8Array;
  readonly accept?: readonly number[];
  /** Read as the work tree in place of the workspace: a folder below it. */
  readonly workTree?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/**
 * A git directory of the host's making, from which the workspace's files are read. `host` works on it
 * without a look at the workspace; `inside` is the git that reads the worker's files, and runs in the sandbox.
 */
export interface Collector {
  readonly gitDir: string;
  host(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
  inside(args: readonly string[], options?: InsideOptions): Promise<GitAnswer>;
  /** From now on files are taken as they are, whatever the tree's attributes say of line ends and encodings. */
  takeBytes(): Promise<void>;
}

/** Makes it afresh at `<folder>/<name>`; what an earlier try left there is removed. */
export async function makeCollector(wanted: {
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly workspace: string;
  readonly folder: string;
  readonly name: string;
  /** Object directories to read beside the user's. */
  readonly borrowed?: readonly string[];
}): Promise<Collector> {
  const { repository, sandbox, workspace, folder } = wanted;
  const gitDir = join(folder, wanted.name);
  await rm(gitDir, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await makeGitDirectory(gitDir, repository, { borrowed: wanted.borrowed ?? [] });
  return {
    gitDir,
    host: (args, options) => hostGit({ gitDir, args }, options),
    inside: (args, options = {}) =>
      runInside({ sandbox, gitDir, workspace, folder, repository }, args, options),
    takeBytes: () => writeFile(join(gitDir, 'info', 'attributes'), '* -text -ident -working-tree-encoding\n'),
  };
}

async function runInside(
  place: {
    readonly sandbox: Sandbox;
    readonly gitDir: string;
    readonly workspace: string;
    readonly folder: string;
    readonly repository: Repository;
  },
  args: readonly string[],
  options: InsideOptions,
): Promise<GitAnswer> {
  const workTree = options.workTree ?? place.workspace;
  const { argv, env } = hostGitArgv({ gitDir: place.gitDir, workTree, args });
  const result = await place.sandbox.run({
    argv,
    env: { ...env, ...options.env },
    cwd: workTree,
    timeoutMs: options.timeoutMs ?? GIT_LIMIT_MS,
    keepBytes: LIST_LIMIT_BYTES,
    sockets: true,
    writable: [place.folder],
    readable: place.repository.objectDirectories,
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  const stderr = Buffer.from(result.stderr.bytes).toString('utf8');
  const { exitCode } = result;
  if (exitCode === null || !(options.accept ?? [0]).includes(exitCode)) {
    throw new GitError({ args, exitCode, stderr: result.timedOut ? 'it took too long' : stderr });
  }
  if (result.stdout.truncated) throw new Error(`git ${args[0]} printed more than ${LIST_LIMIT_BYTES} bytes`);
  return { stdout: Buffer.from(result.stdout.bytes), stderr, exitCode };
}
