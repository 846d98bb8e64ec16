import { posix } from 'node:path';
import { isKnown } from './marks.ts';

/** Where a command would act. All paths absolute. */
export interface Place {
  readonly workspace: string;
  /** Where the command starts. */
  readonly cwd: string;
  /** The user's own checkout: never the worker's, wherever it is. */
  readonly checkout: string;
  readonly home: string;
  /** TMPDIR. */
  readonly temp: string;
  /** Folders of the job's own beside the workspace, where a repository is nobody else's: temp and home. */
  readonly own: readonly string[];
}

/** Whose repository it is; `unknown` when the text does not tell. */
export type Whose = 'workspace' | 'own' | 'elsewhere' | 'unknown';

export function whose(path: string | null, place: Place): Whose {
  if (path === null) return 'unknown';
  if (isWithin(path, place.workspace)) return 'workspace';
  if (isWithin(path, place.checkout)) return 'elsewhere';
  return place.own.some((folder) => isWithin(path, folder)) ? 'own' : 'elsewhere';
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** null when a part of it is not known. */
export function resolvePath(from: string | null, path: string): string | null {
  if (!isKnown(path)) return null;
  if (path.startsWith('/')) return trimEnd(posix.normalize(path));
  return from === null ? null : trimEnd(posix.join(from, path));
}

function trimEnd(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
