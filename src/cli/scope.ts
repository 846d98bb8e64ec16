import { isAbsolute, relative } from 'node:path';
import { joined } from '../job/relative-path.ts';
import { isInScope } from '../job/scope.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import type { Repository } from '../workspace/repository.ts';
import { usage } from './parse.ts';

/**
 * The folders a job's changes belong in, relative to the root: those of `--scope`, from where the caller stands; without
 * any those of the project's file, from its root. Throws UserError: exit 2 for what is no folder of the repository, exit 5
 * for a calling model's (`isBound`) that is wider than the project's.
 */
export function scopeOf(
  typed: readonly string[],
  ofProject: readonly string[],
  { checkout, subdirectory }: Pick<Repository, 'checkout' | 'subdirectory'>,
  isBound = false,
): string[] {
  const own = { from: '', checkout, name: 'scope in cc-delegate.yaml' };
  const project = [...new Set(ofProject.map((folder) => placeOf(folder, own)))];
  if (typed.length === 0) return project;
  const scope = typed.map((folder) => placeOf(folder, { from: subdirectory, checkout, name: '--scope' }));
  const wider = scope.find((folder) => !isInScope(folder, project));
  if (wider === undefined || !isBound) return [...new Set(scope)];
  throw new UserError({
    code: 'wider_scope',
    what: 'a model may narrow the scope of the project, and not widen it',
    value: `--scope ${wider === '' ? '.' : wider} (cc-delegate.yaml: ${project.join(' ')})`,
    remedy: 'name a folder in it, or ask the user to run this in a terminal',
    exit: EXIT.refused,
  });
}

interface Named {
  readonly from: string;
  readonly checkout: string;
  readonly name: string;
}

function placeOf(folder: string, { from, checkout, name }: Named): string {
  const path = isAbsolute(folder) ? joined('', relative(checkout, folder)) : joined(from, folder);
  const isOutside = path === '..' || path.startsWith('../') || isAbsolute(path);
  if (folder.trim() === '' || isOutside)
    throw usage(`${name} takes a folder of this repository`, folder, 'name one in it, such as src');
  if (/[*?[\]{}]/.test(folder))
    throw usage(`${name} takes a folder, not a glob`, folder, 'name the folder: src');
  return path;
}
