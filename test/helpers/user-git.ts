import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobId } from '../../src/job/ids.ts';
import { git, writeFiles } from './repository.ts';
import type { World } from './world.ts';

/** Commits a file and returns the commit. */
export function commit(repository: string, path: string, content: string): string {
  writeFiles(repository, { [path]: content });
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', path);
  return git(repository, 'rev-parse', 'HEAD');
}

/** What git knows of the user's checkout: none of it is ours to change while a job runs. */
export function stateOf(repository: string): Record<string, string> {
  return {
    head: readFileSync(join(repository, '.git/HEAD'), 'utf8'),
    index: readFileSync(join(repository, '.git/index'), 'hex'),
    config: readFileSync(join(repository, '.git/config'), 'utf8'),
    status: git(repository, 'status', '--porcelain', '--ignored'),
    refs: refsOf(repository),
  };
}

/** Branches and stash, without the job's own branches. */
export function refsOf(repository: string): string {
  const refs = git(
    repository,
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads',
    'refs/stash',
  );
  return refs
    .split('\n')
    .filter((ref) => !/refs\/heads\/(cc-)?delegate\/t_/.test(ref))
    .join('\n');
}

/** The paths of a job's result, sorted. */
export async function changedFiles(world: World, id: JobId): Promise<string[]> {
  const { stdout } = await world.run(['diff', id, '--name-only']);
  return stdout.trim().split('\n').sort();
}
