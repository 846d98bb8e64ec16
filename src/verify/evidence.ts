import { foundNoTests } from '../job/no-tests.ts';
import type { KeptPlan } from '../job/protected.ts';
import type { CommandReceipt, FlakyRun, Proof, RedFirst } from '../job/receipt.ts';
import { NO_PROOF } from '../job/receipt.ts';
import type { Preflight } from '../job/record.ts';
import type { ProofRules } from '../job/task.ts';
import type { TestChange } from '../job/test-changes.ts';
import { lostSomeTests } from '../job/tests-ran.ts';
import { fails, type GateOutcome, passes, type TestsEnd } from '../job/verdict.ts';
import { type PutBack, putBack } from '../workspace/put-back.ts';
import type { Repository } from '../workspace/repository.ts';
import type { Sandbox } from '../workspace/sandbox/sandbox.ts';
import { type GateReport, gate } from './gate.ts';
import { readWorkChanges, type WorkChanges } from './work-changes.ts';

/** A clean checkout that nobody has run anything in, with a sandbox of its own. */
export interface CheckoutPlace {
  readonly sandbox: Sandbox;
  readonly checkout: string;
  /** Where the commands start. */
  readonly cwd: string;
  /** A folder of our own beside the checkout. */
  readonly folder: string;
}

export interface EvidenceSpec {
  readonly repository: Repository;
  readonly base: string;
  /** The collected work: one commit on the base. */
  readonly commit: string;
  readonly subdirectory: string;
  readonly setup: string | null;
  readonly test: string | null;
  readonly before: Preflight | null;
  readonly rules: ProofRules;
  /** A folder of our own, for git directories. */
  readonly folder: string;
  /** Makes the checkout, and removes it when `use` has ended. */
  readonly inCheckout: <T>(commit: string, use: (place: CheckoutPlace) => Promise<T>) => Promise<T>;
  /** Of the set-up and of the test command, each. */
  readonly timeoutMs: number;
  readonly log?: ((chunk: Uint8Array) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Evidence extends Proof {
  readonly outcome: GateOutcome;
  readonly setup: CommandReceipt | null;
  readonly tests: CommandReceipt | null;
}

/**
 * Judges work that changed something, each run in a fresh checkout of the collected commit: the test command as
 * the worker left it; where it passes and the work touched what judges it or brings tests, once more with the
 * base's tests, scripts and configuration and no others; and, if asked for, the work's tests on the base, where
 * they must fail. A run that fails is run once more, so that a flaky test is seen as one.
 */
export async function evidence(spec: EvidenceSpec): Promise<Evidence> {
  const work = await readWorkChanges({ ...spec, protect: spec.rules.protect });
  const { plan } = work;
  const flaky: FlakyRun[] = [];
  const after = await run(spec, 'after', NOTHING, flaky);
  const { outcome, setup, tests } = after;
  const found = {
    ...NO_PROOF,
    testChanges: plan.findings.slice(0, MOST_NAMED),
    protectedPaths: plan.puts.slice(0, MOST_NAMED).map(({ path, put }) => ({ path, put })),
  };
  const base = { ...found, setup, tests, flaky };
  if (!passes(outcome.tests)) return { ...base, outcome };
  const isTouched = plan.puts.length + plan.addedTests.length > 0;
  const kept = isTouched ? await run(spec, 'kept', work.kept, flaky) : null;
  const judgesNothing = kept?.tests && spec.before && foundNoTests(kept.tests) && foundNoTests(spec.before);
  const beyond = passes(endOfKept(kept)) || judgesNothing ? null : await runBeyondEdits(spec, work, flaky);
  const judged: GateOutcome = {
    ...outcome,
    kept: judgesNothing ? null : endOfKept(kept),
    allowTestEdits: spec.rules.allowTestEdits,
    beyondEdits: endOfKept(beyond),
  };
  const told = beyond === null || passes(endOfKept(beyond)) ? kept : beyond;
  const shown = told === null ? null : (told.tests ?? told.setup);
  const redFirst = spec.rules.mustFailFirst ? await runRedFirst(spec, work) : null;
  const silenced = silencedBy(spec, plan, kept ?? after);
  const isTold = (path: string): boolean =>
    plan.findings.some((told) => told.path === path && told.kind === 'exit_masked');
  const disarmed = judged.kept && !passes(judged.kept) ? addedFindings(plan) : [];
  return {
    ...base,
    testChanges: [...disarmed, ...silenced.filter(({ path }) => !isTold(path)), ...base.testChanges].slice(
      0,
      MOST_NAMED,
    ),
    outcome: { ...judged, silenced: silenced.length > 0, redFirst: redFirst?.verdict ?? null },
    kept: shown,
    redFirst,
  };
}

/** More than this nobody reads, and it stands in an event and in a result. */
const MOST_NAMED = 200;

const NOTHING: PutBack = { files: [], texts: [], removed: [] };
const SET_UP_FAILED: TestsEnd = { ended: 'exit', exitCode: 1 };

/** Who may edit tests may still not change what runs them: that is put back by itself. null: it was not touched. */
async function runBeyondEdits(
  spec: EvidenceSpec,
  { beyondEdits }: WorkChanges,
  flaky: FlakyRun[],
): Promise<GateReport | null> {
  if (!spec.rules.allowTestEdits || beyondEdits === null) return null;
  return run(spec, 'kept', beyondEdits, flaky);
}

function endOfKept(kept: GateReport | null): TestsEnd | null {
  return kept?.outcome.setupOk === false ? SET_UP_FAILED : (kept?.outcome.tests ?? null);
}

/** Where nothing else was touched that tells of a trick, it may be the new tests that make the difference. */
function addedFindings({ addedTests, findings }: KeptPlan): TestChange[] {
  if (findings.some(({ kind }) => kind !== 'test_edited')) return [];
  return addedTests.map((path) => ({ path, kind: 'test_added', detail: 'taken away for the second run' }));
}

/**
 * The sources that end the process, where tests that ran on the base no longer do: a test command that was ended in
 * the middle passes too. Where tests may be edited and were, fewer of them say nothing.
 */
function silencedBy(
  { before, rules }: EvidenceSpec,
  plan: KeptPlan,
  judged: GateReport,
): readonly TestChange[] {
  if (rules.allowTestEdits && plan.testEdits.length > 0) return [];
  return lostSomeTests(before, judged.tests) ? plan.ends : [];
}

/** One run, and one more if it fails in a way that another run may not. */
async function run(
  spec: EvidenceSpec,
  of: FlakyRun['of'],
  wanted: PutBack,
  flaky: FlakyRun[],
): Promise<GateReport> {
  const first = await runOnce(spec, spec.commit, wanted);
  if (!fails(first.outcome.tests) || spec.signal?.aborted) return first;
  const second = await runOnce(spec, spec.commit, wanted);
  if (passes(second.outcome.tests) && first.tests !== null) flaky.push({ of, first: first.tests });
  return second;
}

function runOnce(spec: EvidenceSpec, commit: string, wanted: PutBack): Promise<GateReport> {
  const { setup, test, timeoutMs, log, signal, repository } = spec;
  const isNothing = wanted.files.length + wanted.texts.length + wanted.removed.length === 0;
  return spec.inCheckout(commit, async ({ sandbox, checkout, cwd, folder }) => {
    const restore = async (): Promise<void> => {
      if (!isNothing) await putBack({ repository, sandbox, checkout, folder }, wanted);
    };
    // Before the set-up, which may run scripts of the project; and again after it, as it may run the worker's.
    await restore();
    const again = setup === null ? undefined : restore;
    return gate({ sandbox, cwd, setup, test, timeoutMs, log, signal, restore: again });
  });
}

async function runRedFirst(spec: EvidenceSpec, work: WorkChanges): Promise<RedFirst> {
  const { before } = spec;
  if (before?.verdict === 'fails') return { verdict: 'failed', run: null };
  if (work.testsAlone === null) return { verdict: 'no_tests', run: null };
  const report = await runOnce(spec, spec.base, work.testsAlone);
  const end = report.outcome.tests;
  const verdict = fails(end) ? 'failed' : passes(end) ? 'passed' : 'not_run';
  return { verdict, run: report.tests ?? report.setup };
}
