import { realPathOrNull } from './real-path.ts';

/**
 * Of the folders a worker may read beside its workspace, those that are still what they were: where one has gone, or is
 * a link by now, nobody has said that it may be read. And a line on each that is not.
 */
export function foldersStillThere(folders: readonly string[]): {
  readonly there: readonly string[];
  readonly notices: readonly string[];
} {
  const there = folders.filter((folder) => realPathOrNull(folder) === folder);
  const gone = folders.filter((folder) => !there.includes(folder));
  return {
    there,
    notices: gone.map((folder) => `not there any more, and not given to the worker: ${folder}`),
  };
}
