import { isAbsolute, relative } from 'node:path';
import { joined } from '../job/relative-path.ts';
import type { Repository } from '../workspace/repository.ts';
import { usage } from './parse.ts';

/**
 * The folders a job's changes belong in, relative to the root: those of `--scope`, from where the caller stands; without
 * any those of the project's file, from its root. Throws UserError (exit 2) for one outside of the repository.
 */
export function scopeOf(
  typed: readonly string[],
  ofProject: readonly string[],
  { checkout, subdirectory }: Pick<Repository, 'checkout' | 'subdirectory'>,
): string[] {
  const [from, folders, name] =
    typed.length > 0 ? [subdirectory, typed, '--scope'] : ['', ofProject, 'scope in cc-delegate.yaml'];
  return [...new Set(folders.map((folder) => placeOf(folder, from, { checkout, name })))];
}

function placeOf(
  folder: string,
  from: string,
  { checkout, name }: { readonly checkout: string; readonly name: string },
): string {
  const path = isAbsolute(folder) ? joined('', relative(checkout, folder)) : joined(from, folder);
  if (folder.trim() !== '' && !path.startsWith('..') && !isAbsolute(path)) return path;
  throw usage(`${name} takes a folder of this repository`, folder, 'name one in it, such as src');
}
