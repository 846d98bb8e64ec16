import { asObject, parseObject } from './kept-aliases.ts';

/**
 * Does this lock file of npm take a package that was there from a folder, or from what is no registry? New
 * packages may come from anywhere, as those of a workspace do. Both are the whole texts.
 */
export function locksOtherwise(base: string, work: string): boolean {
  const [before, after] = [parseObject(base), parseObject(work)];
  if (before === null) return false;
  if (after === null) return true;
  return ['packages', 'dependencies'].some((key) => {
    const had = asObject(before[key]);
    return Object.entries(asObject(after[key])).some(
      ([name, entry]) => Object.hasOwn(had, name) && isElsewhere(entry) && !isElsewhere(had[name]),
    );
  });
}

function isElsewhere(entry: unknown): boolean {
  const { link, resolved, version } = asObject(entry);
  const isRemote = resolved === undefined || /^https?:/.test(String(resolved));
  return link === true || !isRemote || /^(file|link|git)/.test(String(version));
}
