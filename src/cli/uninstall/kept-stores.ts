import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../store/folders.ts';
import { storeFolder } from '../../store/paths.ts';
import { asksFolder } from '../store-around.ts';

/**
 * The stores that are in folders of ours, since there was no working tree for them: answers to questions asked outside
 * of a repository, and the jobs of bare repositories. Records and patches, as those in repositories. Each by the folder
 * it is in, which holds nothing else: anything more would be somebody's repository.
 */
export function keptStores(userDir: string, stateDirs: readonly string[]): string[] {
  const asks = asksFolder(userDir);
  return [
    ...(isStoreAlone(asks) ? [asks] : []),
    ...stateDirs.flatMap((folder) => below(join(folder, 'bare'))),
  ];
}

/** A bare repository's store is below `bare`, at the repository's own path. */
function below(folder: string): string[] {
  if (!isFolder(folder)) return [];
  if (isStoreAlone(folder)) return [folder];
  const names = namesIn(folder);
  // A working tree of somebody's: whatever is in it is theirs.
  if (names.includes('.git')) return [];
  return names
    .filter((name) => name !== '.cc-delegate')
    .sort()
    .flatMap((name) => below(join(folder, name)));
}

function isStoreAlone(folder: string): boolean {
  return isFolder(folder) && isFolder(storeFolder(folder)) && namesIn(folder).length === 1;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
