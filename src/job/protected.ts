import { keptPackage } from './kept-package.ts';
import { hasSections, keptSections } from './kept-sections.ts';
import { keptTsconfig } from './kept-tsconfig.ts';
import { isMakefile, makesOtherwise } from './makefile.ts';
import { shadowedBy } from './shadows.ts';
import { steersOtherwise } from './steering-lines.ts';
import {
  isSuspicious,
  patchesRunner,
  readChange,
  type TestChange,
  type TestChangeKind,
} from './test-changes.ts';
import { type Judges, parentOf } from './test-command.ts';
import { isRunnerConfig, isSnapshot, isTestFile } from './test-files.ts';

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
  /** New tests of the worker's that look like tests and nothing else. */
  readonly addedTests: readonly string[];
  /** Everything a reader should know of, put back or not. */
  readonly findings: readonly TestChange[];
}

export interface ProtectionRules {
  readonly judges: Judges;
  /** The user's own globs (`--protect`). */
  readonly isProtected: (path: string) => boolean;
  /** A path the test command itself names. */
  readonly isNamed: (path: string) => boolean;
}

/**
 * What has to be as it was on the base for the tests to be the base's tests. What the worker was free to
 * change (sources, dependencies, a new test) stays as it is.
 */
export function planKept(changes: readonly SeenChange[], rules: ProtectionRules): KeptPlan {
  const puts: Put[] = [];
  const addedTests: string[] = [];
  const findings: TestChange[] = [];
  for (const change of changes) {
    const found = change.status === 'A' ? judgeAdded(change, rules) : judgeChanged(change, rules);
    if (found !== null) {
      puts.push(found.put);
      findings.push(...explain(change, found.kind, found.detail ?? null));
    } else if (change.status === 'A' && isTestFile(change.path)) addedTests.push(change.path);
    else if (rules.isNamed(change.path)) findings.push(...readChange(change.path, change));
    else if (patchesRunner(change) && !isTestFile(change.path)) {
      findings.push(...readChange(change.path, change).filter(({ kind }) => kind === 'runner_patched'));
    }
  }
  return { puts, addedTests, findings };
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
  if (isRunnerConfig(path)) return removed('config_added', 'read by the test runner');
  if (steersOtherwise(path, null, after)) return removed('config_added', 'holds what steers the test runner');
  if (hasSections(path) && after !== null) {
    const text = keptSections(path, '', after);
    if (text !== null) return { put: { path, put: 'merged', text }, kind: 'config_added' };
  }
  if (isTestFile(path) && !isSnapshot(path) && after !== null && isSuspicious(after))
    return removed('test_edited');
  return null;
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
  const merged = (text: string | null, kind: TestChangeKind): Found | null =>
    text === null ? null : { put: { path, put: 'merged', text }, kind };
  if (isProtected(path)) return base('protected_changed');
  const whole = wholeKind(path, judges);
  if (whole !== null) return base(whole);
  const name = path.split('/').at(-1) ?? '';
  if (name === 'package.json' && after === null) return base('script_changed');
  if (before === null) return null;
  if (name === 'package.json') return merged(keptPackage(before, after ?? ''), 'script_changed');
  if (/^[jt]sconfig.*\.json$/.test(name)) return merged(keptTsconfig(before, after ?? ''), 'alias_changed');
  if (hasSections(path)) return merged(keptSections(path, before, after ?? ''), 'config_changed');
  const targets = targetsOf(path, judges);
  if (targets !== null && makesOtherwise(before, after ?? '', targets)) return base('script_changed');
  return steersOtherwise(path, before, after) ? base('config_changed') : null;
}

/** What is put back as it was, whatever is changed in it. */
function wholeKind(path: string, judges: Judges): TestChangeKind | null {
  if (isSnapshot(path)) return 'snapshot_edited';
  if (isRunnerConfig(path)) return 'config_changed';
  if (judges.scripts.has(path)) return 'script_changed';
  if (isTestFile(path)) return 'test_edited';
  return /(^|\/)node_modules\//.test(path) ? 'runner_shadowed' : null;
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
