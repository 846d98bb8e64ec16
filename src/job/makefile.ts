/** Variables and targets that change how every recipe of a makefile is run. */
const EVERYWHERE =
  /^\s*(override\s+)?(SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|PATH|\.RECIPEPREFIX)\s*[:?+]?=|^\.(IGNORE|ONESHELL|POSIX|SILENT|DEFAULT_GOAL|EXPORT_ALL_VARIABLES)\b|^\s*-?s?include\b|^\s*export\b/;

export function isMakefile(path: string): boolean {
  return /(^|\/)(GNUmakefile|[Mm]akefile)$|\.mk$/.test(path);
}

/**
 * Does what these targets do differ between the two makefiles: their recipes, those of the test targets they
 * need, the variables in them, or what holds for every recipe? A makefile is built with too, so that the rest of
 * it is the worker's to change.
 */
export function makesOtherwise(base: string, work: string, targets: ReadonlySet<string>): boolean {
  return steering(base, targets) !== steering(work, targets);
}

const TEST_LIKE = /test|check|spec|verify|lint|ci/i;

function steering(text: string, targets: ReadonlySet<string>): string {
  const lines = text.replaceAll('\\\n', ' ').split('\n').map(lineOf);
  const wanted = wantedOf(lines, targets);
  const blocks = blocksOf(lines, wanted);
  const recipes = blocks.filter((line) => line.startsWith('\t')).join('\n');
  const variables = new Set([...recipes.matchAll(/\$[({]([\w.-]+)[)}]/g)].map(([, name]) => name ?? ''));
  const values = lines.flatMap(({ line }) => (variables.has(setBy(line) ?? '') ? [line] : []));
  const phony = lines.flatMap(({ line }) => (line.startsWith('.PHONY') ? line.split(/[\s:]+/) : []));
  const made = [...new Set(phony)].filter((name) => wanted.has(name)).sort();
  return [...blocks, ...values, ...made].join('\n');
}

interface Line {
  readonly line: string;
  /** null: no rule begins here. */
  readonly rule: { readonly names: readonly string[]; readonly tests: readonly string[] } | null;
}

function lineOf(line: string): Line {
  const [, names, needs = ''] = /^([^\s#:=][^:=]*)::?(?!=)(.*)$/.exec(line) ?? [];
  if (names === undefined) return { line, rule: null };
  const tests = needs.split(/[\s;]+/).filter((name) => TEST_LIKE.test(name));
  return { line, rule: { names: names.trim().split(/\s+/), tests } };
}

/** The targets, and the test targets that they need, wherever those stand. */
function wantedOf(lines: readonly Line[], targets: ReadonlySet<string>): ReadonlySet<string> {
  const rules = lines.flatMap(({ rule }) => rule ?? []);
  const needs = new Map<string, string[]>();
  for (const { names, tests } of rules) {
    for (const name of names) {
      const known = needs.get(name) ?? [];
      known.push(...tests);
      needs.set(name, known);
    }
  }
  const patterns = rules.filter(({ names }) => names.some((name) => name.includes('%')));
  const wanted = new Set([...targets, ...patterns.flatMap(({ tests }) => tests)]);
  // A set hands out what is added to it meanwhile.
  for (const name of wanted) for (const test of needs.get(name) ?? []) wanted.add(test);
  return wanted;
}

/** The rules of the wanted targets and what holds everywhere. */
function blocksOf(lines: readonly Line[], wanted: ReadonlySet<string>): string[] {
  let inside = false;
  return lines.flatMap(({ line, rule }) => {
    if (rule !== null) inside = rule.names.some((name) => wanted.has(name) || name.includes('%'));
    else inside &&= line.trim() === '' || line.startsWith('\t');
    return (inside && line.trim() !== '') || EVERYWHERE.test(line) ? [line.trimEnd()] : [];
  });
}

function setBy(line: string): string | undefined {
  return /^\s*(?:override\s+|export\s+)*([\w.-]+)\s*[:?+!]{0,3}=/.exec(line)?.[1];
}

/** The commands of a target, without what marks them as such. */
export function recipeOf(makefile: string, target: string): string[] {
  const lines = makefile.replaceAll('\\\n', ' ').split('\n');
  const found: string[] = [];
  let inside = false;
  for (const line of lines) {
    const rule = /^([^\s#:=][^:=]*?)\s*::?(?!=)(.*)$/.exec(line);
    if (rule !== null) {
      inside = (rule[1] ?? '').split(/\s+/).includes(target);
      const inline = rule[2]?.split(';')[1];
      if (inside && inline !== undefined) found.push(inline);
    } else if (inside && line.startsWith('\t')) found.push(line.trim());
    else if (line.trim() !== '' && !line.startsWith('#')) inside = false;
  }
  return found;
}
