import { chmod, open, rename, rm } from 'node:fs/promises';
import type { ReceiptFile } from '../job/receipt.ts';
import { fields, hostGit } from './git.ts';
import { type RawPath, rawPath, readable } from './raw-path.ts';

/** The two sides, in a git directory of our making; commits or trees. */
export interface Sides {
  readonly gitDir: string;
  readonly base: string;
  readonly result: string;
}

const PLAIN = ['--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none'];

/**
 * Writes the patch from base to result, byte-exact, for `git apply --binary` at the repository's root: no
 * setting of anybody has a part in it. The file appears whole or not at all, mode 0600.
 */
export async function writePatch(sides: Sides, file: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  const made = await open(unfinished, 'w', 0o600);
  await made.close();
  await chmod(unfinished, 0o600);
  const form = ['-p', '--binary', '--full-index', '-U3', '--inter-hunk-context=0', '--diff-algorithm=myers'];
  const prefixes = ['--src-prefix=a/', '--dst-prefix=b/', '--no-relative', `--output=${unfinished}`];
  const args = ['diff-tree', '-r', ...form, ...PLAIN, ...prefixes, sides.base, sides.result];
  try {
    await hostGit({ gitDir: sides.gitDir, args });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** One changed path with what git knows of both its sides. */
export interface RawChange {
  readonly path: RawPath;
  readonly status: ReceiptFile['status'];
  readonly before: { readonly mode: string; readonly object: string };
  readonly after: { readonly mode: string; readonly object: string };
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

/** What differs between the two sides, by path. A rename is a deletion and an addition. */
export async function listChanges(sides: Sides): Promise<RawChange[]> {
  const form = ['-r', '-z', '--raw', '--numstat', '--no-abbrev', '--no-relative'];
  const args = ['diff-tree', ...form, ...PLAIN, sides.base, sides.result];
  return parseChanges((await hostGit({ gitDir: sides.gitDir, args })).stdout);
}

/**
 * `--raw --numstat -z`: first `:<mode> <mode> <id> <id> <status>` and the path, two fields each; then
 * `<insertions>\t<deletions>\t<path>`, one field each, `-` for both when git takes the file for binary.
 */
export function parseChanges(output: Buffer): RawChange[] {
  const parts = fields(output);
  const changes = new Map<RawPath, RawChange>();
  for (let at = 0; at < parts.length; at += 1) {
    const part = rawPath(parts[at] ?? Buffer.alloc(0));
    if (part.startsWith(':')) {
      at += 1;
      const path = rawPath(parts[at] ?? Buffer.alloc(0));
      changes.set(path, rawChange(part, path));
    } else {
      const [, insertions = '', deletions = '', path = ''] = /^([\d-]+)\t([\d-]+)\t(.*)$/s.exec(part) ?? [];
      const change = changes.get(path as RawPath);
      if (change === undefined) throw new Error(`git printed numbers for a path it did not list: ${part}`);
      const binary = insertions === '-';
      const numbers = binary ? [0, 0] : [Number(insertions), Number(deletions)];
      changes.set(change.path, {
        ...change,
        binary,
        insertions: numbers[0] ?? 0,
        deletions: numbers[1] ?? 0,
      });
    }
  }
  return [...changes.values()];
}

function rawChange(meta: string, path: RawPath): RawChange {
  const [modeBefore = '', modeAfter = '', objectBefore = '', objectAfter = '', letter = ''] = meta
    .slice(1)
    .split(' ');
  const status = (['A', 'M', 'D', 'T'] as const).find((known) => known === letter);
  if (status === undefined) throw new Error(`git printed a status we do not know: ${meta}`);
  return {
    path,
    status,
    before: { mode: modeBefore, object: objectBefore },
    after: { mode: modeAfter, object: objectAfter },
    insertions: 0,
    deletions: 0,
    binary: false,
  };
}

/** Are both sides files of which only the mode, or the mode too, differs? */
export function changesMode(change: RawChange): boolean {
  return change.status === 'M' && change.before.mode !== change.after.mode;
}

/** The change as receipts show it. */
export function fileChange(change: RawChange, flags: readonly string[]): ReceiptFile {
  const { status, insertions, deletions, binary } = change;
  return { path: readable(change.path), status, insertions, deletions, binary, flags };
}
