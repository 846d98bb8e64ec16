import { mkdir } from 'node:fs/promises';
import { makeCollector } from './collector.ts';
import { fields, hostGit, line } from './git.ts';
import { makeGitDirectory } from './git-directory.ts';
import { nulList, type RawPath, rawPath } from './raw-path.ts';
import type { Repository } from './repository.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** One file as a tree has it. */
export interface TreeFile {
  readonly path: RawPath;
  readonly mode: string;
  readonly object: string;
}

/** What is to stand in a checkout: these files, these texts, and nothing at these paths. */
export interface PutBack {
  readonly files: readonly TreeFile[];
  readonly texts: readonly { readonly path: RawPath; readonly mode: string; readonly text: string }[];
  readonly removed: readonly RawPath[];
}

export interface PutBackPlace {
  readonly repository: Repository;
  /** The one the checkout is judged in: its files may be the worker's, and so may what ran in it. */
  readonly sandbox: Sandbox;
  readonly checkout: string;
  /** A folder of our own, outside of the checkout. */
  readonly folder: string;
}

/** A git directory of ours that reads the user's objects, e.g. to look into a commit; at `gitDir`. */
export async function makeReader(repository: Repository, gitDir: string): Promise<void> {
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  await makeGitDirectory(gitDir, repository);
}

/**
 * Puts files into a checkout, whatever stands there: from a git directory of ours, never the checkout's own.
 * It writes inside the sandbox, so that a link that was planted in the checkout leads nowhere else. May be
 * called again, e.g. after a set-up that ran foreign code.
 */
export async function putBack(place: PutBackPlace, wanted: PutBack): Promise<void> {
  const { repository, sandbox, checkout, folder } = place;
  const keeper = await makeCollector({
    repository,
    sandbox,
    workspace: checkout,
    folder,
    name: 'keeper.git',
  });
  const entries: string[] = wanted.files.map(({ path, mode, object }) => `${mode} ${object}\t${path}\0`);
  for (const { path, mode, text } of wanted.texts) {
    const stored = await keeper.host(['hash-object', '-w', '--stdin'], { input: Buffer.from(text) });
    entries.push(`${mode} ${line(stored)}\t${path}\0`);
  }
  const gone = [...wanted.removed, ...wanted.files.map(({ path }) => path)];
  if (gone.length > 0) await removeInside(place, gone);
  if (entries.length === 0) return;
  await keeper.host(['update-index', '-z', '--index-info'], {
    input: Buffer.from(entries.join(''), 'latin1'),
  });
  await keeper.inside(['checkout-index', '-f', '-a', '-q']);
}

/** A folder in place of a file goes too: git would leave it where it is. */
async function removeInside({ sandbox, checkout }: PutBackPlace, paths: readonly RawPath[]): Promise<void> {
  const result = await sandbox.run({
    argv: ['xargs', '-0', 'rm', '-rf', '--'],
    cwd: checkout,
    input: nulList(paths.map((path) => `./${path}` as RawPath)),
    timeoutMs: 120_000,
  });
  if (result.exitCode === 0) return;
  throw new Error(`files could not be put back: ${Buffer.from(result.stderr.bytes).toString('utf8')}`);
}

/** Every file of a commit, from a git directory of ours. Submodules are not listed. */
export async function listTree(gitDir: string, commit: string): Promise<TreeFile[]> {
  const { stdout } = await hostGit({ gitDir, args: ['ls-tree', '-r', '-z', commit] });
  return fields(stdout).flatMap((field) => {
    const found = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(rawPath(field));
    if (found === null) return [];
    const [, mode = '', object = '', path = ''] = found;
    return [{ path: path as RawPath, mode, object }];
  });
}
