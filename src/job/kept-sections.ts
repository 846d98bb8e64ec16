interface Section {
  /** Without its brackets; '' for what stands before the first. */
  readonly name: string;
  readonly text: string;
}

/** Files of sections that hold more than a runner's settings: which sections are the runner's. */
const RUNNER_SECTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /(^|\/)pyproject\.toml$/,
    /^tool(\."?(pytest|coverage|tox|nose2|unittest|hatch|pdm|poe|taskipy|uv|doit|poetry\.plugins)\b.*)?$|^project\.entry-points\.["']?pytest11["']?$/,
  ],
  [
    /(^|\/)setup\.cfg$/,
    /^(tool:pytest|pytest|aliases|test|nosetests|coverage:.*|tox.*|testenv.*|options\.entry_points)$/,
  ],
  [/(^|\/)Cargo\.toml$/, /^(test|bench|lib|profile\.test.*)$/],
];

/** A key that says the same outside of the runner's sections. */
const OUTSIDE = /^\s*(tool\s*[.=]|"?pytest"?\s*[.=]|[^#[]*\bpytest11\b.*=|autotests\s*=)/;

export function hasSections(path: string): boolean {
  return RUNNER_SECTIONS.some(([file]) => file.test(path));
}

/** The worker's file with the runner's sections as the base has them. null: the worker's is fine as it is. */
export function keptSections(path: string, base: string, work: string): string | null {
  const isRunner = RUNNER_SECTIONS.find(([file]) => file.test(path))?.[1];
  if (isRunner === undefined) return null;
  const before = sectionsOf(base).filter(({ name }) => isRunner.test(name));
  const all = sectionsOf(work);
  const after = all.filter(({ name }) => isRunner.test(name));
  const lines = new Set(base.split('\n'));
  const outside = work.split('\n').some((line) => OUTSIDE.test(line) && !lines.has(line));
  if (outside) return base;
  if (textOf(before).trim() === textOf(after).trim()) return null;
  return `${textOf(all.filter(({ name }) => !isRunner.test(name))).trimEnd()}\n\n${textOf(before)}`;
}

function textOf(sections: readonly Section[]): string {
  return sections.map(({ text }) => text).join('');
}

function sectionsOf(text: string): Section[] {
  const found: Section[] = [];
  let name = '';
  let lines: string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const header = /^\s*\[{1,2}([^[\]]+)\]{1,2}\s*([#;].*)?$/.exec(line.trimEnd())?.[1];
    if (header !== undefined) {
      found.push({ name, text: lines.join('') });
      name = header.trim();
      lines = [];
    }
    lines.push(line);
  }
  return [...found, { name, text: lines.join('') }];
}
