import { asObject, keptAliases, parseObject, sameJson } from './kept-aliases.ts';

/** Keys by which a runner, or what loads the tests for it, is set up. */
const RUNNER_KEYS = [
  'jest',
  'mocha',
  'ava',
  'c8',
  'nyc',
  'tap',
  'vitest',
  'ts-node',
  'tsx',
  'wireit',
  'playwright',
];
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
const REDIRECTIONS = ['overrides', 'resolutions', 'pnpm'];
/** Run by a package manager though nobody asks for them. */
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'prepare', 'pretest', 'posttest'];
const ELSEWHERE =
  /"?(file|link|portal|npm|git|git\+\w+|https?|github):|^(\.{0,2}|~)\/|:"(\.{0,2}|~)\/|^[\w.-]+\/[\w.-]+(#.*)?$/;

/**
 * The worker's package.json with what steers the tests as the base has it: its scripts, its runner settings, and
 * the packages it had. What the worker added beside them (dependencies, other scripts) stays. null: the worker's
 * is fine as it is.
 */
export function keptPackage(base: string, work: string): string | null {
  const before = parseObject(base);
  const after = parseObject(work);
  if (before === null) return null;
  if (after === null) return base;
  const kept: Record<string, unknown> = { ...after };
  put(kept, 'scripts', keptScripts(asObject(before.scripts), asObject(after.scripts)));
  put(kept, 'imports', keptAliases(asObject(before.imports), asObject(after.imports)));
  for (const key of RUNNER_KEYS) put(kept, key, before[key]);
  for (const key of DEPENDENCIES) put(kept, key, keptPackages(before, key, asObject(after[key])));
  for (const key of REDIRECTIONS) {
    if (ELSEWHERE.test(JSON.stringify(after[key]) ?? '')) put(kept, key, before[key]);
  }
  return sameJson(kept, after) ? null : `${JSON.stringify(kept, null, 2)}\n`;
}

/** An absent key stays absent, so that an empty object does not look like a change. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  const isNothing = value === undefined || (sameJson(value, {}) && target[key] === undefined);
  if (isNothing) delete target[key];
  else target[key] = value;
}

function keptScripts(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const hooks = new Set([
    ...LIFECYCLE,
    ...Object.keys(before).flatMap((name) => [`pre${name}`, `post${name}`]),
  ]);
  const added = Object.entries(after).filter(([name]) => !Object.hasOwn(before, name) && !hooks.has(name));
  return { ...before, ...Object.fromEntries(added) };
}

/** A package that was there, under whichever key, may get another version, not another origin. */
function keptPackages(
  base: Readonly<Record<string, unknown>>,
  key: string,
  after: Readonly<Record<string, unknown>>,
) {
  const lists = [key, ...DEPENDENCIES].map((each) => asObject(base[each]));
  return Object.fromEntries(
    Object.entries(after).map(([name, version]) => {
      const had = lists.flatMap((list) => (Object.hasOwn(list, name) ? [list[name]] : []));
      const moved = had.length > 0 && !had.includes(version) && ELSEWHERE.test(String(version));
      return [name, moved ? had[0] : version];
    }),
  );
}
