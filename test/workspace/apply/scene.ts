import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ApplyRequest } from '../../../src/workspace/apply/request.ts';
import { findRepository } from '../../../src/workspace/repository.ts';
import { GIT_ENVIRONMENT, git, makeFolder, makeRepository } from '../../helpers/repository.ts';

/** A file's content, an executable one, or a link; null deletes. */
export type Content = string | Uint8Array | { readonly run: string } | { readonly link: string } | null;
export type Tree = Readonly<Record<string, Content>>;

export function writeTree(folder: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const target = join(folder, path);
    rmSync(target, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(target), { recursive: true });
    if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(target, content);
    else if ('link' in content) symlinkSync(content.link, target);
    else {
      writeFileSync(target, content.run);
      chmodSync(target, 0o755);
    }
  }
}

/** A commit on `base` whose tree has `changes`, made aside as a worker's is; reachable as a ref. */
export function commitAside(repository: string, base: string, changes: Tree): string {
  const folder = makeFolder();
  const env = { ...GIT_ENVIRONMENT, GIT_DIR: join(repository, '.git'), GIT_WORK_TREE: folder };
  const own = { ...env, GIT_INDEX_FILE: join(makeFolder(), 'index') };
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'core.autocrlf=false', '-c', 'core.attributesFile=/dev/null', ...args], {
      cwd: folder,
      env: own,
    })
      .toString('utf8')
      .trim();
  run('read-tree', base);
  run('checkout-index', '-a', '-f');
  writeTree(folder, changes);
  run('add', '-A', '-f');
  const commit = run('commit-tree', run('write-tree'), '-p', base, '-m', 'work');
  git(repository, 'update-ref', 'refs/delegate/t/result', commit);
  return commit;
}

export interface Scene {
  readonly repository: string;
  readonly request: ApplyRequest;
  readonly base: string;
  readonly result: string;
}

/** A repository with `base`, a result that changes it, and the request to apply that. */
export async function makeScene(
  base: Tree,
  result: Tree,
  config: Record<string, string> = {},
): Promise<Scene> {
  const repository = makeRepository({});
  for (const [key, value] of Object.entries(config)) git(repository, 'config', key, value);
  const first = commitAside(repository, git(repository, 'rev-parse', 'HEAD'), base);
  git(repository, 'reset', '-q', '--hard', first);
  const second = commitAside(repository, first, result);
  return { repository, base: first, result: second, request: await requestFor(repository, first, second) };
}

export async function requestFor(checkout: string, base: string, result: string): Promise<ApplyRequest> {
  const state = makeFolder();
  return {
    repository: await findRepository(checkout),
    base,
    result,
    only: [],
    committed: null,
    applied: join(state, 'applied'),
    claims: join(state, 'claims'),
    allowControlPlane: false,
    commitMessage: null,
  };
}

/** Everything a user could see of a checkout: each file with mode, bytes and time, folders, index bytes, refs. */
export function snapshot(repository: string): Record<string, string> {
  const seen: Record<string, string> = {};
  const walk = (folder: string) => {
    for (const name of readdirSync(join(repository, folder))) {
      const path = join(folder, name);
      if (path === '.git') continue;
      const target = join(repository, path);
      const stats = lstatSync(target, { bigint: true });
      const time = stats.mtimeNs / 1000n;
      if (stats.isDirectory()) {
        seen[path] = 'folder';
        walk(path);
      } else if (stats.isSymbolicLink()) seen[path] = `link ${readlinkSync(target)} ${time}`;
      else seen[path] = `${stats.mode.toString(8)} ${sha(readFileSync(target))} ${time}`;
    }
  };
  walk('.');
  const gitDir = git(repository, 'rev-parse', '--absolute-git-dir');
  seen['.git/index'] = existsSync(join(gitDir, 'index')) ? sha(readFileSync(join(gitDir, 'index'))) : 'none';
  seen['.git'] = readdirSync(gitDir)
    .filter((name) => name.startsWith('index'))
    .join(' ');
  seen.refs = git(repository, 'for-each-ref');
  seen.HEAD = git(repository, 'rev-parse', 'HEAD');
  return seen;
}

/** The snapshot without what a look by git may change, and without times. */
export function contents(seen: Record<string, string>): Record<string, string> {
  const { '.git/index': _, ...rest } = seen;
  return Object.fromEntries(
    Object.entries(rest).map(([path, state]) => [path, state.replace(/ \d{13,}$/, '')]),
  );
}

function sha(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The index's tree. On a copy, as git writes what it finds out on the way into the index. */
export function indexTree(repository: string): string {
  return treeOfCopy(repository, []);
}

/** The tree of the files as they lie there, untracked and ignored ones included, as `git add` sees them. */
export function filesTree(repository: string): string {
  return treeOfCopy(repository, ['-c', 'core.safecrlf=false', 'add', '-A', '-f']);
}

function treeOfCopy(repository: string, first: readonly string[]): string {
  const index = join(makeFolder(), 'index');
  if (existsSync(join(repository, '.git/index'))) copyFileSync(join(repository, '.git/index'), index);
  const run = (args: readonly string[]) =>
    execFileSync('git', args, { cwd: repository, env: { ...GIT_ENVIRONMENT, GIT_INDEX_FILE: index } });
  if (first.length > 0) run(first);
  return run(['write-tree']).toString('utf8').trim();
}

/** What git's own merge makes of `ours` (a tree) and the result, both on `base`; null on a conflict. */
export function mergedTree(repository: string, base: string, ours: string, result: string): string | null {
  const commit = git(repository, 'commit-tree', ours, '-p', base, '-m', 'ours');
  try {
    const args = ['-c', 'merge.renames=false', 'merge-tree', '--write-tree', commit, result];
    return git(repository, ...args).split('\n')[0] ?? null;
  } catch {
    // git merge-tree answers a conflict with exit 1.
    return null;
  }
}
