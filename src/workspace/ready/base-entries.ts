import { parentOf } from '../../job/relative-path.ts';
import { fields, type HostPlace, hostGit } from '../git.ts';

/** A submodule as its superproject has it: where, and at which commit. */
export interface Gitlink {
  readonly path: string;
  readonly commit: string;
}

/** What a clone just made says of its commit. */
export interface BaseEntries {
  /** Every path of the commit, submodules included. */
  readonly paths: ReadonlySet<string>;
  readonly gitlinks: readonly Gitlink[];
  /** May there be attributes? They are asked for only then: a process less. */
  readonly hasAttributes: boolean;
}

/** Reads the index of a git directory of our making. Throws GitError. */
export async function readBaseEntries(place: HostPlace): Promise<BaseEntries> {
  const { stdout } = await hostGit({ ...place, args: ['ls-files', '-s', '-z'] });
  const paths = new Set<string>();
  const gitlinks: Gitlink[] = [];
  let hasAttributes = false;
  for (const field of fields(stdout)) {
    const entry = field.toString('utf8');
    const path = entry.slice(entry.indexOf('\t') + 1);
    paths.add(path);
    if (entry.startsWith('160000 ')) gitlinks.push({ path, commit: entry.split(' ', 2)[1] ?? '' });
    if (path === '.gitattributes' || path.endsWith('/.gitattributes')) hasAttributes = true;
  }
  return { paths, gitlinks, hasAttributes };
}

/** Every folder that holds one of these paths, the root as `''`. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>(['']);
  for (const path of paths) {
    for (let folder = parentOf(path); !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
  }
  return folders;
}
