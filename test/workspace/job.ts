import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type JobId, makeJobId } from '../../src/job/ids.ts';
import { createClone } from '../../src/workspace/clone.ts';
import { type Collected, type CollectRequest, collect } from '../../src/workspace/collect.ts';
import { pinBase, reserveBranch } from '../../src/workspace/refs.ts';
import { findRepository, type Repository, resolveBase } from '../../src/workspace/repository.ts';
import type { Sandbox } from '../../src/workspace/sandbox/sandbox.ts';
import { GIT_ENVIRONMENT, git, makeFolder } from '../helpers/repository.ts';
import { plainSandbox } from './plain-sandbox.ts';

let jobs = 0;

/** A job up to the point where its worker begins. */
export interface Job {
  readonly repository: Repository;
  readonly id: JobId;
  readonly base: string;
  readonly branch: string;
  readonly folder: string;
  readonly workspace: string;
  readonly patchFile: string;
  readonly sandbox: Sandbox;
}

export async function startJob(cwd: string, options: { rev?: string; folder?: string } = {}): Promise<Job> {
  jobs += 1;
  const id = makeJobId(1_800_000_000_000 + process.pid * 1000 + jobs, jobs);
  const repository = await findRepository(cwd);
  const base = await resolveBase(repository, options.rev);
  await pinBase(repository, id, base);
  const reserved = await reserveBranch(repository, id, base);
  if (reserved.kind === 'taken') throw new Error(`taken: ${reserved.branch}`);
  const folder = join(options.folder ?? makeFolder(), id);
  const workspace = join(folder, 'work');
  const { branch } = reserved;
  await createClone({ repository, id, commit: base, branch, folder: workspace });
  return {
    ...{ repository, id, base, branch, folder, workspace },
    patchFile: join(folder, 'result.patch'),
    sandbox: plainSandbox(),
  };
}

/** The worker: a shell in the workspace, with an environment such as a worker has. */
export function work(job: Job, script: string): string {
  return execFileSync('bash', ['-ec', script], {
    cwd: job.workspace,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CEILING_DIRECTORIES: job.folder,
    },
  });
}

export function collectJob(job: Job, more: Partial<CollectRequest> = {}): Promise<Collected> {
  const { repository, id, base, branch, workspace, patchFile, sandbox } = job;
  const request = { repository, id, base, branch, workspace, patchFile, sandbox };
  return collect({
    ...request,
    collector: join(job.folder, 'collector'),
    message: 'The work',
    testCommand: null,
    subdirectory: '',
    ...more,
  });
}

export type Changed = Extract<Collected, { kind: 'changed' }>;

export async function collectChanged(job: Job, more: Partial<CollectRequest> = {}): Promise<Changed> {
  const collected = await collectJob(job, more);
  if (collected.kind !== 'changed') throw new Error(`collected: ${JSON.stringify(collected)}`);
  return collected;
}

/** `A path`, `M path`, …, sorted. */
export function listed(collected: Changed): string[] {
  return collected.files.map((file) => `${file.status} ${file.path}`).sort();
}

/**
 * The patch on a fresh clone of the base gives the collected tree, which is the commit's, which lies on the
 * base, in a repository that git finds whole.
 */
export function expectRoundTrip(job: Job, collected: Changed): void {
  const { commonDir } = job.repository;
  const fresh = join(makeFolder(), 'fresh');
  git(commonDir, 'clone', '-q', '--no-checkout', '--no-local', `file://${commonDir}`, fresh);
  if (git(fresh, 'rev-parse', 'HEAD') !== job.base)
    git(fresh, 'fetch', '-q', 'origin', `refs/delegate/${job.id}/base`);
  git(fresh, 'checkout', '-q', '--detach', job.base);
  git(fresh, '-c', 'apply.whitespace=nowarn', 'apply', '--binary', '--index', '--allow-empty', job.patchFile);
  expect(git(fresh, 'write-tree')).toBe(collected.tree);
  const { commit, tree } = collected;
  const ref = `refs/delegate/${job.id}/result`;
  expect(git(commonDir, 'rev-parse', ref, `${commit}^{tree}`, `${commit}^@`).split('\n')).toEqual([
    commit,
    tree,
    job.base,
  ]);
}

/** A tree built from the workspace's files by a plain git with an index of its own, read from the base. */
export function treeOfFiles(job: Job): string {
  const folder = makeFolder();
  const env = {
    ...GIT_ENVIRONMENT,
    GIT_DIR: join(folder, 'oracle.git'),
    GIT_WORK_TREE: job.workspace,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(job.repository.commonDir, 'objects'),
  };
  const run = (...args: string[]) =>
    execFileSync('git', args, { env, cwd: job.workspace, encoding: 'utf8' }).trim();
  run('init', '-q', '--template=');
  run('read-tree', job.base);
  run('add', '-A');
  return run('write-tree');
}

/** Everything of the user's that a run may not change, as text that can be compared. */
export function everythingOf(repository: Repository): Record<string, string> {
  const { checkout, gitDir, commonDir } = repository;
  const refs = git(commonDir, 'for-each-ref', '--format=%(refname) %(objectname)')
    .split('\n')
    .filter((ref) => !/^refs\/(heads\/)?(cc-)?delegate\//.test(ref));
  return {
    refs: refs.join('\n'),
    ...filesIn(checkout, (path) => path !== '.git'),
    ...filesIn(gitDir, (path) => /^(HEAD|index|config.*|hooks|hooks\/.*|info|info\/.*)$/.test(path)),
    ...filesIn(commonDir, (path) =>
      /^(config.*|hooks|hooks\/.*|info|info\/.*|logs|logs\/refs|logs\/refs\/stash)$/.test(path),
    ),
  };
}

function filesIn(top: string, wanted: (path: string) => boolean, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  if (!existsSync(join(top, below))) return found;
  for (const name of readdirSync(join(top, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    if (!wanted(path)) continue;
    const stat = lstatSync(join(top, path));
    const head = `${stat.mode.toString(8)} ${stat.isDirectory() ? '' : stat.mtimeMs}`;
    if (stat.isDirectory()) Object.assign(found, filesIn(top, wanted, path));
    else if (stat.isSymbolicLink()) found[join(top, path)] = `${head} ${readlinkSync(join(top, path))}`;
    else
      found[join(top, path)] = `${head} ${createHash('sha1')
        .update(readFileSync(join(top, path)))
        .digest('hex')}`;
  }
  return found;
}
