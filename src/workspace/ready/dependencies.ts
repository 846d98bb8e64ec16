import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fields, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import { copyFolder } from './copy-folder.ts';
import { lockFilesOf } from './dependency-kinds.ts';
import type { NotProvided } from './include-snapshot.ts';
import { measure, type SizeLimits } from './measure.ts';
import { type DependencyPlan, planDependencies } from './plan-dependencies.ts';
import { makeWay } from './safe-place.ts';

/** The workspace, the gate, and what the work itself needs. */
const SHARE_OF_FREE_SPACE = 3;

/** Measures the folders in the user's checkout and decides what becomes of each. Reads only. */
export async function readDependencies(wanted: {
  readonly checkout: string;
  /** Relative to the checkout. */
  readonly folders: readonly string[];
  /** A folder on the file system the copies go to. */
  readonly destination: string;
  readonly limits: SizeLimits;
  readonly canBind: boolean;
}): Promise<DependencyPlan[]> {
  if (wanted.folders.length === 0) return [];
  const { bavail, bsize } = await statfs(wanted.destination);
  const room = Math.floor((bavail * bsize) / SHARE_OF_FREE_SPACE);
  const limits = { files: wanted.limits.files, bytes: Math.min(wanted.limits.bytes, room) };
  const found = [];
  for (const folder of wanted.folders) found.push(await measure(wanted.checkout, folder, limits));
  return planDependencies(found, { limits, canBind: wanted.canBind });
}

/** A dependency folder that is in the checkout of ours now. */
export type CopiedFolder = Extract<DependencyPlan, { kind: 'copy' }>;

/**
 * Carries the copies of a plan out, into a checkout of ours in which nothing runs: private ones, fresh from
 * the user's checkout. What cannot be copied is told; an abort leaves no half a folder.
 */
export async function copyDependencies(wanted: {
  readonly from: string;
  readonly to: string;
  readonly plan: readonly DependencyPlan[];
  readonly signal?: AbortSignal;
}): Promise<{ readonly copied: readonly CopiedFolder[]; readonly failed: readonly NotProvided[] }> {
  const copied: CopiedFolder[] = [];
  const failed: NotProvided[] = [];
  for (const step of wanted.plan) {
    if (step.kind !== 'copy') continue;
    const why = wanted.signal?.aborted ? 'stopped' : await copyOne(wanted, step);
    if (why === null) copied.push(step);
    else failed.push({ path: step.path, why });
  }
  return { copied, failed };
}

async function copyOne(
  { from, to, signal }: { readonly from: string; readonly to: string; readonly signal?: AbortSignal },
  { path, leaveOut }: CopiedFolder,
): Promise<string | null> {
  const refused = await makeWay(to, path);
  if (refused !== null) return refused;
  try {
    await copyFolder({ root: from, path, target: join(to, path), leaveOut, ...(signal && { signal }) });
    return null;
  } catch (error) {
    // A full disk or a folder that changes meanwhile must not end the job: it may do without.
    return `it could not be copied (${error instanceof Error && 'code' in error ? String(error.code) : String(error)})`;
  }
}

/** Lock files that differ between the base and the user's checkout: what was copied may not fit the base. */
export async function changedLockFiles(
  repository: Repository,
  base: string,
  folders: readonly string[],
): Promise<string[]> {
  if (folders.length === 0) return [];
  const args = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const paths = lockFilesOf(folders).map((path) => `:(top,literal)${path}`);
  const { stdout } = await userGit(repository, [...args, base, '--', ...paths]);
  return fields(stdout).map((field) => field.toString('utf8'));
}
