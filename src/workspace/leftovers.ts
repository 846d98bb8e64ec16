import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fields, hostGitArgv } from './git.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** New files that set-up and preflight left in the workspace, with a digest of what they hold. */
export type Leftovers = ReadonlyMap<string, string>;

export const NO_LEFTOVERS: Leftovers = new Map();

const GIT_LIMIT_MS = 120_000;
const LIST_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Puts tracked files back as the base has them: a set-up command may have rewritten a lock file, and that
 * is not the worker's work. Only before the worker has begun, while the clone's git is still our own.
 */
export async function restoreTracked(sandbox: Sandbox, work: string): Promise<void> {
  await gitInside(sandbox, work, ['reset', '--hard', '--quiet']);
}

/**
 * What set-up and preflight left: new files, and what git ignores (a folder of such files, e.g.
 * node_modules, counts as one).
 */
export async function findLeftovers(sandbox: Sandbox, work: string): Promise<Leftovers> {
  const others = ['ls-files', '--others', '--exclude-standard', '-z'];
  const found = new Map<string, string>();
  for (const args of [others, [...others, '--ignored', '--directory']]) {
    const listed = fields(Buffer.from(await gitInside(sandbox, work, args)));
    for (const field of listed) {
      const path = field.toString('utf8').replace(/\/$/, '');
      found.set(path, await digest(join(work, path)));
    }
  }
  return found;
}

/** Those of them the worker has not touched since: they are left out of what is collected. */
export async function unchangedLeftovers(work: string, leftovers: Leftovers): Promise<string[]> {
  const unchanged: string[] = [];
  for (const [path, before] of leftovers) {
    if ((await digest(join(work, path))) === before) unchanged.push(path);
  }
  return unchanged;
}

async function digest(path: string): Promise<string> {
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
