import { join } from 'node:path';
import { compareGates, type GateComparison, wasJudged } from '../job/compare-gates.ts';
import type { CommandReceipt, Receipt } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import { variableSecrets } from '../job/redaction/known.ts';
import { createRedactor, type Redactor } from '../job/redaction/redactor.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { settingsSecrets } from '../provider/known-secrets.ts';
import { stateDirectory, workspacePaths } from '../store/paths.ts';
import { findRepository, resolveBase } from '../workspace/repository.ts';
import { bestLevel } from '../workspace/sandbox/levels.ts';
import { taskOf } from './find-conversation.ts';
import type { FoundRecord } from './find-job.ts';
import { passedVariables, refuseWithoutConsent } from './plan-terms.ts';
import type { VerbContext } from './verb.ts';

/** What `result --verify` adds to a result. */
export interface Verified extends GateComparison {
  readonly commit: string;
  readonly tests: CommandReceipt | null;
  readonly kept: CommandReceipt | null;
}

/**
 * Runs the gate of an ended job once more on the commit that is recorded, under today's settings: at the best
 * sandbox level, and with no network and no variable that the user's settings do not allow. Throws UserError:
 * exit 4 where there is nothing to run or the gate never came to its word, exit 5 without a sandbox the user agreed
 * to, exit 6 when it can no longer be read what was asked for. No secret stands in what is given back.
 */
export async function verifyResult(
  context: VerbContext,
  { store, record }: FoundRecord,
  receipt: Receipt | null,
): Promise<Verified> {
  const commit = receipt?.commit ?? null;
  if (receipt === null || commit === null || record.gate.test === null || !wasJudged(receipt)) {
    throw nothingToVerify(record);
  }
  const { proof: rules } = taskOf(store, record);
  const repository = await findRepository(record.checkout);
  await resolveBase(repository, commit);
  const { settings } = effectiveConfig({ env: context.env, projectRoot: null });
  const sandbox = await bestLevel(settings.sandbox.runtime);
  refuseWithoutConsent(sandbox, settings, false);
  const passEnv = passedVariables(context.env, settings.env.pass);
  const warn = (line: string): void => context.stderr(`cc-delegate: ${line}`);
  const redactor = createRedactor({
    values: [...settingsSecrets(context.env, warn), ...variableSecrets(passEnv)],
  });
  const { folder } = workspacePaths(stateDirectory(context.env), store.repo, record.id);
  // Asked for here: nothing else of the command line needs what runs a job.
  const { verifyAgain } = await import('../runner/verify-again.ts');
  const seen = await verifyAgain({
    record,
    commit,
    rules,
    repository,
    folder: join(folder, `verify-${process.pid}`),
    level: sandbox.level,
    runtime: settings.sandbox.runtime,
    network: record.network === 'full' ? settings.sandbox.network : 'none',
    passEnv,
  });
  return { commit, ...compareGates(receipt, seen.outcome), ...cleanRuns(seen, redactor) };
}

/** As they come from the command, which had the real values. */
export function cleanRuns(
  { tests, kept }: Pick<Verified, 'tests' | 'kept'>,
  { text }: Pick<Redactor, 'text'>,
): Pick<Verified, 'tests' | 'kept'> {
  const clean = (run: CommandReceipt | null): CommandReceipt | null =>
    run && { ...run, command: text(run.command), outputTail: text(run.outputTail) };
  return { tests: clean(tests), kept: clean(kept) };
}

function nothingToVerify(record: JobRecord): UserError {
  return new UserError({
    code: 'nothing_to_verify',
    what: 'no test command has judged this job to its end, so that there is nothing to compare with',
    value: record.id,
    remedy: 'look at its work: cc-delegate diff',
    exit: EXIT.wrongState,
  });
}
