import { locksOtherwise } from './kept-lock.ts';
import { keptPackage } from './kept-package.ts';
import { hasSections, keptSections } from './kept-sections.ts';
import { keptNewTsconfig, keptTsconfig } from './kept-tsconfig.ts';
import { isMakefile, makesOtherwise } from './makefile.ts';
import { parentOf } from './relative-path.ts';
import { shadowedBy, steersTools } from './shadows.ts';
import { hasSteeringLines, steersOtherwise } from './steering-lines.ts';
import {
  isSuspicious,
  readChange,
  readEnds,
  readSource,
  type TestChange,
  type TestChangeKind,
} from './test-changes.ts';
import type { Judges } from './test-command.ts';
import { isCode, isExpectation, isRunnerConfig, isSnapshot, isTestFile, mayDisarm } from './test-files.ts';

/** A changed path with its texts; null where it is not there, is too big or is no text. */
export interface SeenChange {
  readonly path: string;
  readonly status: 'A' | 'M' | 'D' | 'T';
  readonly before: string | null;
  readonly after: string | null;
}

/** What is done to a path before the tests run once more: the base's file, no file, or this text. */
export type Put =
  | { readonly path: string; readonly put: 'base' }
  | { readonly path: string; readonly put: 'removed' }
  | { readonly path: string; readonly put: 'merged'; readonly text: string };

export interface KeptPlan {
  /** Empty: nothing that judges the work was touched, and one run says it all. */
  readonly puts: readonly Put[];
  /** Of the puts, the paths of edits that a user who allows to edit tests has allowed. */
  readonly testEdits: readonly string[];
  /** New tests of the worker's: the base's must pass without them, as any of them may disarm the runner. */
  readonly addedTests: readonly string[];
  /** Sources that end the process with 0: told only where tests were lost. */
  readonly ends: readonly TestChange[];
  /** Everything a reader should know of, put back or not. */
  readonly findings: readonly TestChange[];
}

export interface ProtectionRules {
  readonly judges: Judges;
  /** The user's own globs (`--protect`). */
  readonly isProtected: (path: string) => boolean;
  /** A path that the test command itself names, or what it runs of the base. */
  readonly isNamed: (path: string) => boolean;
  /** A new file that lies where tests do, but is a part of what the base's tests or the work's sources import. */
  readonly isAskedFor: (path: string) => boolean;
  /** Without any, the first tests are work like any other, and so is what they are set up with. */
  readonly hasBaseTests: boolean;
}

/**
 * What has to be as it was on the base for the tests to be the base's tests. What the worker was free to
 * change (sources, dependencies, a new test) stays as it is.
 */
export function planKept(changes: readonly SeenChange[], rules: ProtectionRules): KeptPlan {
  const taken: Found[] = [];
  const addedTests: string[] = [];
  const findings: TestChange[] = [];
  const ends: TestChange[] = [];
  for (const change of changes) {
    const found = change.status === 'A' ? judgeAdded(change, rules) : judgeChanged(change, rules);
    if (found !== null && !rules.hasBaseTests && isFirst(change, found)) {
      findings.push(...readChange(change.path, change));
    } else if (found !== null) {
      taken.push(found);
      findings.push(...explain(change, found.kind, found.detail ?? null));
    } else if (isAddedTest(change, rules)) {
      if (rules.hasBaseTests && mayDisarm(change.path)) addedTests.push(change.path);
    } else {
      findings.push(...onlyTold(change, rules));
      if (isCode(change.path)) ends.push(...readEnds(change.path, change));
    }
  }
  const edits = taken.filter((found) => isTestEdit(found, rules.judges));
  return {
    puts: taken.map(({ put }) => put),
    testEdits: edits.map(({ put }) => put.path),
    addedTests,
    ends,
    findings,
  };
}

/** What stays as the worker has it, but a reader should know. */
function onlyTold(change: SeenChange, { isNamed }: ProtectionRules): TestChange[] {
  if (isNamed(change.path)) return readChange(change.path, change);
  return isTestFile(change.path) ? [] : readSource(change.path, change);
}

/** Tests, what they compare with, and a script that is the test itself; not what chooses or runs them. */
function isTestEdit({ put: { path }, kind }: Found, { scripts }: Judges): boolean {
  if (kind === 'script_changed') return scripts.has(path) && !/(^|\/)(mvnw|gradlew)$/.test(path);
  return kind === 'test_edited' || kind === 'snapshot_edited';
}

function isAddedTest({ path, status }: SeenChange, { isNamed, isAskedFor }: ProtectionRules): boolean {
  return status === 'A' && isTestFile(path) && !isNamed(path) && !isAskedFor(path);
}

/** Is it what the first tests of a project come with, rather than what takes the place of a command? */
function isFirst({ path, status, before }: SeenChange, { kind }: Found): boolean {
  if (status === 'A') {
    return kind === 'test_edited' || (kind === 'config_added' && !/(^|\/)\.(npmrc|yarnrc|env)\b/.test(path));
  }
  // As `npm init` writes it.
  return kind === 'script_changed' && /"test":.*no test specified/.test(before ?? '');
}

interface Found {
  readonly put: Put;
  readonly kind: TestChangeKind;
  readonly detail?: string;
}

function judgeAdded(
  { path, after }: SeenChange,
  { judges, isProtected, isNamed }: ProtectionRules,
): Found | null {
  const removed = (kind: TestChangeKind, detail?: string): Found => ({
    put: { path, put: 'removed' },
    kind,
    ...(detail !== undefined && { detail }),
  });
  if (isProtected(path)) return removed('protected_changed', 'a new file where files are protected');
  const shadows = shadowedBy(path, judges.folders) ?? shadowedHere(path, judges);
  if (shadows !== null) return removed('runner_shadowed', `found in place of ${shadows}`);
  if (isNamed(path)) return null;
  if (after === null) {
    if (isRead(path)) return removed('config_added', 'cannot be read, and may steer the test runner');
    if (isTestFile(path) && isCode(path)) return removed('test_edited', 'cannot be read');
  }
  if (isRunnerConfig(path)) return removed('config_added', 'read by the test runner');
  if (steersOtherwise(path, null, after)) return removed('config_added', 'holds what steers the test runner');
  if (after !== null) {
    const text = TSCONFIG.test(path) ? keptNewTsconfig(after) : keptSections(path, '', after);
    if (text !== null) return { put: { path, put: 'merged', text }, kind: 'config_added' };
  }
  if (isTestFile(path) && !isSnapshot(path) && after !== null && isSuspicious(after))
    return removed('test_edited');
  return null;
}

const PACKAGE = /(^|\/)package\.json$/;
const TSCONFIG = /(^|\/)[jt]sconfig[^/]*\.json$/;

/** Is it the text of this file that tells whether it steers a runner? */
function isRead(path: string): boolean {
  return hasSections(path) || hasSteeringLines(path) || TSCONFIG.test(path);
}

/** Names that a command of this test looks for before it finds the base's. */
function shadowedHere(path: string, judges: Judges): string | null {
  const folder = parentOf(path);
  const name = path.slice(folder === '' ? 0 : folder.length + 1);
  for (const [makefile, targets] of judges.makefiles) {
    if (parentOf(makefile) !== folder) continue;
    if (/^(GNUmakefile|makefile|Makefile)$/.test(name)) return makefile;
    if (targets.has(name)) return `the target ${name} of ${makefile}`;
  }
  const isNearer = name === 'package.json' && judges.packages.size > 0 && judges.folders.has(folder);
  return isNearer ? 'the package whose scripts run the tests' : null;
}

function judgeChanged({ path, before, after }: SeenChange, rules: ProtectionRules): Found | null {
  const { judges, isProtected } = rules;
  const base = (kind: TestChangeKind): Found => ({ put: { path, put: 'base' }, kind });
  if (isProtected(path)) return base('protected_changed');
  const whole = wholeKind(path, judges);
  if (whole !== null) return base(whole);
  const targets = targetsOf(path, judges);
  if (PACKAGE.test(path) && (before === null || after === null)) return base('script_changed');
  if (before === null) return isRead(path) || targets !== null ? base('config_changed') : null;
  if (PACKAGE.test(path) || TSCONFIG.test(path) || hasSections(path)) {
    return judgePart(path, before, after ?? '');
  }
  if (targets !== null && makesOtherwise(before, after ?? '', targets)) return base('script_changed');
  const isLock = /(^|\/)(package-lock|npm-shrinkwrap)\.json$/.test(path);
  const steers = isLock ? locksOtherwise(before, after ?? '') : steersOtherwise(path, before, after);
  return steers ? base('config_changed') : null;
}

/** Of a file that holds more than what steers a runner, only that is put back. */
function judgePart(path: string, before: string, after: string): Found | null {
  const merged = (text: string | null, kind: TestChangeKind): Found | null =>
    text === null ? null : { put: { path, put: 'merged', text }, kind };
  if (PACKAGE.test(path)) return merged(keptPackage(before, after), 'script_changed');
  if (TSCONFIG.test(path)) return merged(keptTsconfig(before, after), 'alias_changed');
  return merged(keptSections(path, before, after), 'config_changed');
}

/** What is put back as it was, whatever is changed in it. */
function wholeKind(path: string, judges: Judges): TestChangeKind | null {
  if (isSnapshot(path)) return 'snapshot_edited';
  if (isRunnerConfig(path)) return 'config_changed';
  if (judges.scripts.has(path)) return isExpectation(path) ? 'snapshot_edited' : 'script_changed';
  if (/(^|\/)(mvnw|gradlew)$/.test(path)) return 'script_changed';
  if (isTestFile(path)) return 'test_edited';
  return /(^|\/)node_modules\//.test(path) || steersTools(path) ? 'runner_shadowed' : null;
}

/** null: no makefile that has a part in the tests. A part that is included holds targets of any of them. */
function targetsOf(path: string, { makefiles }: Judges): ReadonlySet<string> | null {
  const own = makefiles.get(path);
  if (own !== undefined) return own;
  if (makefiles.size === 0 || !isMakefile(path)) return null;
  return new Set([...makefiles.values()].flatMap((targets) => [...targets]));
}

/** The findings in its text, and the plain fact in front of them or alone. */
function explain(change: SeenChange, kind: TestChangeKind, detail: string | null): TestChange[] {
  const read =
    kind === 'runner_shadowed' || kind === 'snapshot_edited' ? [] : readChange(change.path, change);
  const deleted = change.status === 'D' && kind !== 'test_edited';
  const plain = {
    path: change.path,
    kind,
    detail: detail ?? (deleted ? 'deleted' : 'not what the base has'),
  };
  if (kind === 'test_edited' && read.length > 0) return read;
  if (deleted) return [plain];
  if (isTestFile(change.path)) return [plain, ...read];
  return [
    plain,
    ...read.filter((each) => each.kind !== 'assertion_weakened' && each.kind !== 'test_deleted'),
  ];
}
