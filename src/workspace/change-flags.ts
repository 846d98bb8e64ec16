import { posix } from 'node:path';
import * as z from 'zod';
import { isControlPlane } from '../job/control-plane.ts';
import { isInScope } from '../job/scope.ts';
import { editsTests } from '../job/test-files.ts';
import { hostGit } from './git.ts';
import { changesMode, type RawChange } from './patch.ts';
import { readable } from './raw-path.ts';

const LOCK_FILES: ReadonlySet<string> = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'cargo.lock',
  'poetry.lock',
  'uv.lock',
  'pipfile.lock',
  'gemfile.lock',
  'composer.lock',
  'go.sum',
]);

const LARGEST_READ_BYTES = 1024 * 1024;
const ABSENT = /^0+$/;

/** What a change is held against. */
export interface Expected {
  readonly testCommand: string | null;
  /** Where the command starts, relative to the root. */
  readonly subdirectory: string;
  /** Folders the changes belong in; []: everywhere. */
  readonly scope: readonly string[];
}

/**
 * What a reviewer should look at first: `control_plane` (what runs or what tools are told),
 * `test_edit` (what `testCommand` runs is no longer what the base had), `link_outside` (a link whose target is
 * not in the tree), `mode_changed`, `out_of_scope`.
 */
export async function changeFlags(
  gitDir: string,
  change: RawChange,
  { testCommand, subdirectory, scope }: Expected,
): Promise<string[]> {
  const flags: string[] = [];
  if (editsTests({ path: readable(change.path), status: change.status }, testCommand, subdirectory))
    flags.push('test_edit');
  if (await touchesControlPlane(gitDir, change)) flags.push('control_plane');
  if (change.after.mode === '120000') {
    const target = await readBlob(gitDir, change.after.object);
    if (target === null || leavesTree(readable(change.path), target.toString('utf8')))
      flags.push('link_outside');
  }
  if (changesMode(change)) flags.push('mode_changed');
  if (!isInScope(readable(change.path), scope)) flags.push('out_of_scope');
  return flags;
}

async function touchesControlPlane(gitDir: string, change: RawChange): Promise<boolean> {
  const path = readable(change.path);
  const name = posix.basename(path).toLowerCase();
  if (isControlPlane(path) || LOCK_FILES.has(name)) return true;
  if (name !== 'package.json') return false;
  const [before, after] = await Promise.all([
    scripts(gitDir, change.before.object),
    scripts(gitDir, change.after.object),
  ]);
  return before !== after;
}

const Package = z.object({ scripts: z.unknown() });

/** The scripts of a package.json as comparable text; a file that cannot be read so differs from every other. */
async function scripts(gitDir: string, object: string): Promise<string> {
  if (ABSENT.test(object)) return 'undefined';
  const bytes = await readBlob(gitDir, object);
  try {
    const parsed = Package.safeParse(JSON.parse(bytes?.toString('utf8') ?? ''));
    return parsed.success ? `${JSON.stringify(parsed.data.scripts)}` : 'undefined';
  } catch {
    // No JSON, or too big: shown as a change of its own.
    return `unreadable ${object}`;
  }
}

/** Null when it is bigger than what is worth reading for a flag. */
async function readBlob(gitDir: string, object: string): Promise<Buffer | null> {
  const size = await hostGit({ gitDir, args: ['cat-file', '-s', object] });
  if (Number(size.stdout.toString('utf8')) > LARGEST_READ_BYTES) return null;
  return (await hostGit({ gitDir, args: ['cat-file', 'blob', object] })).stdout;
}

/** By its words alone: what the target is, or is a link to, depends on the machine. */
export function leavesTree(path: string, target: string): boolean {
  if (posix.isAbsolute(target)) return true;
  const reached = posix.normalize(posix.join(posix.dirname(path), target));
  return reached === '..' || reached.startsWith('../');
}
