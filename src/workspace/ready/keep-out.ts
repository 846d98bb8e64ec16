import { join } from 'node:path';
import { digest, type Leftovers, PROVIDED } from '../leftovers.ts';
import { treeDigest } from '../tree-digest.ts';
import { providedPaths, type Ready } from './ready.ts';

/**
 * What set-up and preflight left, together with what was provided: local files and dependencies are never
 * the worker's work; submodules and contents of Git LFS are not as long as they are as they were. Called
 * when set-up and preflight are over, before the worker begins.
 */
export async function withProvided(ready: Ready, workspace: string, found: Leftovers): Promise<Leftovers> {
  const { report } = ready;
  const all = new Map(found);
  for (const path of providedPaths(report)) all.set(path, PROVIDED);
  for (const path of report.lfs) all.set(path, await digest(join(workspace, path)));
  for (const path of report.submodules) all.set(path, await treeDigest(join(workspace, path)));
  return all;
}

/** Of the files of Git LFS that got their contents, those the result has changed: it holds them whole, as no pointers. */
export function changedLfsFiles(ready: Ready, resultPaths: readonly string[]): string[] {
  const changed = new Set(resultPaths);
  return ready.report.lfs.filter((path) => changed.has(path));
}
