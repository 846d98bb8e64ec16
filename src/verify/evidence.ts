import type { CommandReceipt, FlakyRun, Proof, RedFirst } from '../job/receipt.ts';
import { NO_PROOF } from '../job/receipt.ts';
import type { Preflight } from '../job/record.ts';
import { type GateOutcome, passes, type TestsEnd } from '../job/verdict.ts';
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
  readonly rules: {
    readonly protect: readonly string[];
    readonly allowTestEdits: boolean;
    readonly mustFailFirst: boolean;
  };
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
 * the worker left it; where it passes and the work touched what judges it, once more with the base's
 * tests, scripts and configuration; and, if asked for, the work's tests on the base, where they must fail. A
 * run that fails is run once more, so that a flaky test is seen as one.
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
  const kept = plan.puts.length === 0 ? null : await runKept(spec, work, flaky);
  const judged: GateOutcome = {
    ...outcome,
    kept: kept?.outcome.setupOk === false ? SET_UP_FAILED : (kept?.outcome.tests ?? null),
    allowTestEdits: spec.rules.allowTestEdits,
  };
  const shown = kept === null ? null : (kept.tests ?? kept.setup);
  const redFirst = spec.rules.mustFailFirst ? await runRedFirst(spec, work) : null;
  return { ...base, outcome: { ...judged, redFirst: redFirst?.verdict ?? null }, kept: shown, redFirst };
}

/** More than this nobody reads, and it stands in an event and in a result. */
const MOST_NAMED = 200;

const NOTHING: PutBack = { files: [], texts: [], removed: [] };
const SET_UP_FAILED: TestsEnd = { ended: 'exit', exitCode: 1 };

/**
 * With the worker's new tests, then without them: they may need helpers that have been put back, which is no
 * fault of the work.
 */
async function runKept(spec: EvidenceSpec, work: WorkChanges, flaky: FlakyRun[]): Promise<GateReport> {
  if (work.plan.addedTests.length === 0) return run(spec, 'kept', work.kept, flaky);
  const first = await runOnce(spec, spec.commit, work.kept);
  return passes(first.outcome.tests) ? first : run(spec, 'kept', work.keptAlone, flaky);
}

/** One run, and one more if it fails in a way that another run may not. */
async function run(
  spec: EvidenceSpec,
  of: FlakyRun['of'],
  wanted: PutBack,
  flaky: FlakyRun[],
): Promise<GateReport> {
  const first = await runOnce(spec, spec.commit, wanted);
  const end = first.outcome.tests;
  const mayDiffer = end?.ended === 'signal' || (end?.ended === 'exit' && end.exitCode !== 0);
  if (!mayDiffer || spec.signal?.aborted) return first;
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
  const failed = end?.ended === 'signal' || (end?.ended === 'exit' && end.exitCode !== 0);
  return { verdict: failed ? 'failed' : 'passed', run: report.tests ?? report.setup };
}
