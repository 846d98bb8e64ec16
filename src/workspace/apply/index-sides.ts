import type { Side } from '../../job/apply-plan.ts';
import type { IndexEntry } from './index-entries.ts';
import { type Deletions, foldersAbove } from './probe.ts';

/** What the whole index says about single paths: entries, folders, and names that differ by case alone. */
export interface IndexMap {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  readonly folders: ReadonlySet<string>;
  /** Lower case → as it is spelled. Null where the file system tells the cases apart. */
  readonly spellings: ReadonlyMap<string, string> | null;
}

export function mapIndex(entries: ReadonlyMap<string, IndexEntry>, ignoreCase: boolean): IndexMap {
  const folders = new Set<string>();
  for (const path of entries.keys()) for (const folder of foldersAbove(path)) folders.add(folder);
  const names = [...folders, ...entries.keys()];
  const spellings = ignoreCase ? new Map(names.map((name) => [name.toLowerCase(), name])) : null;
  return { entries, folders, spellings };
}

/** The index side of one path. `intentToAdd` are paths added with `git add -N`. */
export function indexSide(
  map: IndexMap,
  path: string,
  deletions: Deletions,
  intentToAdd: ReadonlySet<string>,
): Side {
  const entry = map.entries.get(path);
  const why = entry === undefined ? whyNew(map, path, deletions) : whyKept(entry, intentToAdd);
  if (why !== null) return { kind: 'blocked', why };
  if (entry === undefined) return { kind: 'absent' };
  return { kind: 'entry', entry: { mode: entry.mode, oid: entry.oid } };
}

function whyKept(entry: IndexEntry, intentToAdd: ReadonlySet<string>): string | null {
  if (entry.stage !== '0') return 'an open merge: resolve it first';
  if (entry.mode === '160000') return 'a submodule';
  if (entry.tag === 'S') return 'left out of the checkout (skip-worktree)';
  if (entry.tag !== entry.tag.toUpperCase()) return 'marked as unchanged (assume-unchanged)';
  return intentToAdd.has(entry.path) ? 'added with git add -N: add it or reset it first' : null;
}

function whyNew(map: IndexMap, path: string, deletions: Deletions): string | null {
  if (deletions.has(path)) return null;
  for (const folder of foldersAbove(path)) {
    const above = map.entries.get(folder);
    if (above === undefined || deletions.has(folder)) continue;
    return above.mode === '160000' ? `${folder} is a submodule` : `${folder} is a tracked file, not a folder`;
  }
  if (map.folders.has(path)) {
    const below = [...map.entries.keys()].find((name) => name.startsWith(`${path}/`) && !deletions.has(name));
    if (below !== undefined) return `a folder with ${below} is in the way`;
  }
  for (const name of [...foldersAbove(path), path]) {
    const spelled = map.spellings?.get(name.toLowerCase());
    if (spelled !== undefined && spelled !== name && !deletions.has(spelled)) {
      return `${spelled} is there, and this file system does not tell the two apart`;
    }
  }
  return null;
}
