import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import which from 'which';
import { EXIT, UserError } from '../job/user-error.ts';

const found = new Map<string, string>();

/**
 * The absolute path of git, looked up once for a folder and a PATH; an entry of PATH that lies inside
 * the repository around `cwd` is passed over, since a repository may never name the program that
 * reads it. Throws a UserError (exit 6) when there is none.
 */
export function gitProgram(cwd: string, path: string): string {
  const key = `${cwd}\0${path}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  const trusted = path
    .split(delimiter)
    .filter((entry) => !repositoriesAround(cwd).some((top) => isInside(top, entry)));
  const program = which.sync('git', { path: trusted.join(delimiter), nothrow: true });
  if (program === null) {
    throw new UserError({
      code: 'no_git',
      what: 'git was not found on PATH',
      value: path,
      remedy: 'install git 2.38 or newer',
      exit: EXIT.environment,
    });
  }
  found.set(key, program);
  return program;
}

function repositoriesAround(cwd: string): string[] {
  const tops: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) tops.push(folder);
    if (folder === dirname(folder)) return tops;
  }
}

function isInside(top: string, entry: string): boolean {
  return [entry, realOrSelf(entry)].some((path) => path === top || path.startsWith(top + sep));
}

function realOrSelf(path: string): string {
  // An entry of PATH that does not exist holds no program either.
  return existsSync(path) ? realpathSync(path) : path;
}
