import { asObject, keptAliases, parseObject, sameJson } from './kept-aliases.ts';

/**
 * The worker's tsconfig with every file it compiled before, and every alias meaning what it meant. null: the
 * worker's is fine as it is.
 */
export function keptTsconfig(base: string, work: string): string | null {
  const before = parseObject(base);
  const after = parseObject(work);
  if (before === null) return null;
  if (after === null) return base;
  const kept: Record<string, unknown> = { ...after };
  const had = asObject(before.compilerOptions);
  const has = asObject(after.compilerOptions);
  const paths = keptAliases(asObject(had.paths), asObject(has.paths));
  if (!sameJson(paths, asObject(has.paths))) kept.compilerOptions = { ...has, paths };
  for (const key of ['include', 'files']) {
    const [old, now] = [listOf(before[key]), listOf(after[key])];
    if (old === null && now !== null) delete kept[key];
    else if (old !== null && now !== null && old.some((each) => !now.includes(each))) {
      kept[key] = [...new Set([...old, ...now])];
    }
  }
  const [left, leaves] = [listOf(before.exclude) ?? [], listOf(after.exclude) ?? []];
  if (leaves.some((each) => !left.includes(each)))
    kept.exclude = leaves.filter((each) => left.includes(each));
  return sameJson(kept, after) ? null : `${JSON.stringify(kept, null, 2)}\n`;
}

/** The same of a new one: it may compile what it likes, but a name of a runner or of the language stays one. */
export function keptNewTsconfig(work: string): string | null {
  const after = parseObject(work);
  if (after === null) return null;
  const has = asObject(after.compilerOptions);
  const paths = keptAliases({}, asObject(has.paths));
  if (sameJson(paths, asObject(has.paths))) return null;
  return `${JSON.stringify({ ...after, compilerOptions: { ...has, paths } }, null, 2)}\n`;
}

function listOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.map(String) : null;
}
