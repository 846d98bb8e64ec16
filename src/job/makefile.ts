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
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const wanted = new Set(targets);
  let blocks: string[] = [];
  // A target found while going through may need one that stood before it: once more for each new one.
  for (let size = -1; size !== wanted.size; ) {
    size = wanted.size;
    blocks = blocksOf(lines, wanted);
  }
  const recipes = blocks.filter((line) => line.startsWith('\t')).join('\n');
  const variables = [...recipes.matchAll(/\$[({]([\w.-]+)[)}]/g)].map(([, name]) => name ?? '');
  const values = lines.filter((line) => variables.some((name) => isSet(line, name)));
  const phony = lines.filter((line) => line.startsWith('.PHONY')).flatMap((line) => line.split(/[\s:]+/));
  const made = [...wanted].filter((name) => phony.includes(name)).sort();
  return [...blocks, ...values, ...made].join('\n');
}

/** The rules of the wanted targets and what holds everywhere; test targets that they need become wanted. */
function blocksOf(lines: readonly string[], wanted: Set<string>): string[] {
  let inside = false;
  return lines.flatMap((line) => {
    const [, names, needs = ''] = /^([^\s#:=][^:=]*?)\s*::?(?!=)(.*)$/.exec(line) ?? [];
    if (names !== undefined) {
      inside = names.split(/\s+/).some((name) => wanted.has(name) || name.includes('%'));
      const tests = needs.split(/[\s;]+/).filter((name) => TEST_LIKE.test(name));
      for (const name of inside ? tests : []) wanted.add(name);
    } else inside &&= line.trim() === '' || line.startsWith('\t');
    return (inside && line.trim() !== '') || EVERYWHERE.test(line) ? [line.trimEnd()] : [];
  });
}

function isSet(line: string, name: string): boolean {
  const found = /^\s*(?:override\s+|export\s+)*([\w.-]+)\s*[:?+!]{0,3}=/.exec(line);
  return found?.[1] === name;
}
