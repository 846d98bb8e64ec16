import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fields, hostGitArgv } from './git.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { TREE_PREFIX, treeDigest } from './tree-digest.ts';

/** New files that set-up and preflight left in the workspace, with a digest of what they hold. */
export type Leftovers = ReadonlyMap<string, string>;

export const NO_LEFTOVERS: Leftovers = new Map();

/** In the place of a digest: put there by us, and out of the result whatever the worker makes of it. */
export const PROVIDED = 'provided';

const GIT_LIMIT_MS = 120_000;
const LIST_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Puts tracked files back as the worker is to find them (a set-up command may have rewritten a lock file, and that is
 * not the worker's work): as the base has them, or the commit `start` in its place. Says what else set-up and preflight left: new files, and what git ignores (a
 * folder of such files, e.g. node_modules, counts as one). Only before the worker has begun, while the
 * clone's git is still our own.
 */
export async function tidyWorkspace(
  sandbox: Sandbox,
  work: string,
  start: string | null = null,
): Promise<Leftovers> {
  let seen = await status(sandbox, work);
  // What an earlier turn left is staged, so that a reset would take it away with the rest.
  if (start !== null) await gitInside(sandbox, work, ['read-tree', '--reset', '-u', start]);
  else if (seen.trackedChanged) await gitInside(sandbox, work, ['reset', '--hard', '--quiet']);
  if (seen.trackedChanged) seen = await status(sandbox, work);
  const found = new Map<string, string>();
  for (const path of seen.others) found.set(path, await digest(join(work, path)));
  return found;
}

interface Status {
  readonly trackedChanged: boolean;
  /** Untracked and ignored, folders without their slash. */
  readonly others: readonly string[];
}

/** In one process, since most tests leave nothing. */
async function status(sandbox: Sandbox, work: string): Promise<Status> {
  const what = ['--untracked-files=all', '--ignored=matching', '--ignore-submodules=all', '--no-renames'];
  const bytes = await gitInside(sandbox, work, ['status', '--porcelain=v1', '-z', ...what]);
  const entries = fields(Buffer.from(bytes)).map((field) => field.toString('utf8'));
  const others = entries.filter((entry) => /^(\?\?|!!) /.test(entry));
  return {
    trackedChanged: others.length < entries.length,
    others: others.map((entry) => entry.slice(3).replace(/\/$/, '')),
  };
}

/** Those of them the worker has not touched since, and what we provided: they are left out of what is collected. */
export async function unchangedLeftovers(work: string, leftovers: Leftovers): Promise<string[]> {
  const unchanged: string[] = [];
  for (const [path, before] of leftovers) {
    if (before === PROVIDED || (await digestLike(before, join(work, path))) === before) unchanged.push(path);
  }
  return unchanged;
}

/** What we provided of them: its contents may get nowhere, not even with a commit the worker made and lost. */
export function providedAmong(leftovers: Leftovers): string[] {
  return [...leftovers].flatMap(([path, digest]) => (digest === PROVIDED ? [path] : []));
}

function digestLike(before: string, path: string): Promise<string> {
  return before.startsWith(TREE_PREFIX) ? treeDigest(path) : digest(path);
}

/** Of a file: its mode and content; of a link: its target; of a folder: its mode alone. */
export async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    const status = await lstat(path);
    hash.update(`${status.mode & 0o170111} `);
    if (status.isSymbolicLink()) hash.update(await readlink(path));
    else if (status.isFile()) for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  } catch (error) {
    // Gone or unreadable is a state of its own: equal only to itself.
    return `unreadable: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}`;
  }
}

async function gitInside(sandbox: Sandbox, work: string, args: readonly string[]): Promise<Uint8Array> {
  const { argv, env } = hostGitArgv({ gitDir: join(work, '.git'), workTree: work, args });
  const result = await sandbox.run({
    argv,
    env,
    cwd: work,
    timeoutMs: GIT_LIMIT_MS,
    keepBytes: LIST_LIMIT_BYTES,
    sockets: true,
  });
  if (result.exitCode === 0) return result.stdout.bytes;
  throw new Error(
    `git ${args[0]} in the workspace failed: ${Buffer.from(result.stderr.bytes).toString('utf8')}`,
  );
}
