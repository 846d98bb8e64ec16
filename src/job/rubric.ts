/** What a grader may say of the whole. Only `satisfied` is success. */
export const RUBRIC_VERDICTS = ['satisfied', 'needs_revision', 'failed'] as const;
export type RubricVerdict = (typeof RUBRIC_VERDICTS)[number];

export interface JudgedCriterion {
  readonly text: string;
  readonly pass: boolean;
  /** Where it can be seen, as `path:line`, or what the tests showed; of a failed one, what is missing. */
  readonly evidence: string;
}

/** A grader's word, as it came: the arguments of its one tool call. */
export interface GivenVerdict {
  readonly verdict: RubricVerdict;
  readonly explanation: string;
  readonly criteria: readonly JudgedCriterion[];
}

/** The rubric's part of a receipt. `iterations`: how many gradings there were; the verdict is the last one's. */
export interface RubricReceipt extends GivenVerdict {
  readonly iterations: number;
}

/** A line of a file as evidence names it. */
export interface Place {
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/** What evidence is held against. */
export interface Seen {
  /** Is there such a line in the collected work, or is it in a file the work deletes? */
  readonly exists: (place: Place) => boolean;
  /** Did the test command run, so that its output can be evidence? */
  readonly tested: boolean;
}

export type CheckedVerdict =
  | { readonly ok: true; readonly verdict: GivenVerdict }
  /** In words for the grader. */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Is this a verdict that can be believed in form: every criterion judged once, the whole in agreement with its
 * parts, each pass with evidence that is there? What is given back has the criteria in our words and order.
 */
export function checkVerdict(criteria: readonly string[], given: GivenVerdict, seen: Seen): CheckedVerdict {
  const judged = criteria.map((text, at) => ({
    text,
    found: given.criteria.filter((each) => isAbout(each.text, text, at + 1)),
  }));
  const problems = [
    ...judged.flatMap(({ text, found }, at) => countProblem(text, at + 1, found.length)),
    ...given.criteria
      .filter((each) => !criteria.some((text, at) => isAbout(each.text, text, at + 1)))
      .map(
        ({ text }) => `there is no criterion "${short(text)}"; repeat each criterion's text as it is given`,
      ),
    ...contradictions(given),
    ...judged.flatMap(({ found }, at) => found.flatMap((each) => evidenceProblems(each, at + 1, seen))),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const ordered = judged.flatMap(({ text, found }) => found.map((each) => ({ ...each, text })));
  return { ok: true, verdict: { ...given, criteria: ordered } };
}

function countProblem(text: string, number: number, times: number): string[] {
  if (times === 1) return [];
  const what = times === 0 ? 'is not judged' : `is judged ${times} times`;
  return [`criterion ${number} ("${short(text)}") ${what}; judge each exactly once`];
}

function contradictions({ verdict, criteria, explanation }: GivenVerdict): string[] {
  const failed = criteria.filter(({ pass }) => !pass).length;
  if (explanation.trim() === '') return ['the explanation is empty'];
  if (verdict === 'satisfied' && failed > 0) {
    return [
      `the verdict is "satisfied", but ${failed} of the criteria did not pass: one of the two is wrong`,
    ];
  }
  if (verdict !== 'satisfied' && failed === 0 && criteria.length > 0) {
    return [`the verdict is "${verdict}", but every criterion passed: one of the two is wrong`];
  }
  return [];
}

function evidenceProblems(judged: JudgedCriterion, number: number, seen: Seen): string[] {
  const { pass, evidence } = judged;
  if (evidence.trim().length < 3) return [`criterion ${number} has no evidence`];
  if (!pass) return [];
  const places = placesIn(evidence);
  const missing = places.filter((place) => looksLikeFile(place) && !seen.exists(place));
  if (missing.length > 0) {
    return missing.map(
      ({ path, line }) => `criterion ${number}: there is no line ${line} of ${path} in the checkout`,
    );
  }
  if (places.some(seen.exists)) return [];
  if (/\btests?\b.*\boutput\b|\boutput\b.*\btests?\b/is.test(evidence)) {
    return seen.tested ? [] : [`criterion ${number}: no test ran, so its output is no evidence`];
  }
  return [`criterion ${number} passes without evidence: name a place as path:line, or the test output`];
}

/** The places a text names, as `path:line` or `path:line-line`; in backticks a path may have spaces. */
export function placesIn(text: string): Place[] {
  const pattern = /`([^`\n]+?):(\d{1,7})(?:-\d+)?`|([^\s`'"“”,;:<>]+):(\d{1,7})\b/g;
  return [...text.matchAll(pattern)].map(([, quoted, quotedLine, plain, plainLine]) => ({
    path: (quoted ?? afterOpenBracket(plain ?? '')).replace(/^\.\//, ''),
    line: Number(quotedLine ?? plainLine),
  }));
}

/** `(src/a.ts` without the sentence's bracket, `app/(auth)/page.tsx` with its own. */
function afterOpenBracket(path: string): string {
  const open: number[] = [];
  for (let at = 0; at < path.length; at += 1) {
    if ('(['.includes(path.charAt(at))) open.push(at);
    else if (')]'.includes(path.charAt(at))) open.pop();
  }
  return path.slice((open.at(-1) ?? -1) + 1);
}

/** `12:30` and `localhost:8080` are no files; whoever names what looks like one has to name one that is there. */
function looksLikeFile({ path }: Place): boolean {
  return /[a-z]/i.test(path) && /[./]/.test(path) && !path.startsWith('//');
}

/** The criterion's own words, with or without its number; the number alone will do. */
function isAbout(said: string, criterion: string, number: number): boolean {
  const plain = normal(said);
  const wanted = normal(criterion);
  if (plain === wanted || plain === String(number)) return true;
  const [, typed, rest] = /^(?:criterion )?(\d+)\W* ?(.*)$/.exec(plain) ?? [];
  return Number(typed) === number && (rest === '' || rest === wanted);
}

function normal(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[\s\-*•"'`]+|[\s."'`;]+$/g, '')
    .replace(/\s+/g, ' ');
}

function short(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
