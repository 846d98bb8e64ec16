import { lstat, rm } from 'node:fs/promises';
import { LARGE_FILE_BYTES } from './collect.ts';
import { readTree } from './collect-tree.ts';
import { makeCollector } from './collector.ts';
import { hostGit, line } from './git.ts';
import { type Leftovers, unchangedLeftovers } from './leftovers.ts';
import type { Repository } from './repository.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** `lost`: there is no workspace any more, so there is nothing in it to lose. */
export type LaterWork = 'none' | 'some' | 'lost';

/**
 * Was the workspace worked in after its result was taken, e.g. by the user who went there? Reads its files as
 * the collection did and compares the two trees; changes nothing but the collector's own folder. Throws as
 * `collect` does.
 */
export async function findLaterWork(wanted: {
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly workspace: string;
  /** For this alone, as in `collect`. */
  readonly collector: string;
  readonly base: string;
  /** The tree that was taken; null when nothing had changed. */
  readonly tree: string | null;
  /** What set-up and preflight left, which is nobody's work. */
  readonly leftovers: Leftovers;
}): Promise<LaterWork> {
  const { repository, sandbox, workspace, base } = wanted;
  const stat = await lstat(workspace).catch(() => null);
  if (!stat?.isDirectory()) return 'lost';
  await rm(wanted.collector, { recursive: true, force: true });
  const place = { repository, sandbox, workspace, folder: wanted.collector, name: 'later.git' };
  const collector = await makeCollector(place);
  const provided = await unchangedLeftovers(workspace, wanted.leftovers);
  const now = await readTree({ collector, workspace, base, provided, largeFileBytes: LARGE_FILE_BYTES });
  const taken = wanted.tree ?? line(await hostGit({ gitDir: collector.gitDir, args: treeOf(base) }));
  return now.tree === taken ? 'none' : 'some';
}

function treeOf(commit: string): string[] {
  return ['rev-parse', '--verify', `${commit}^{tree}`];
}
