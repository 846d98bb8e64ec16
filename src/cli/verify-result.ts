import { join } from 'node:path';
import { compareGates, type GateComparison } from '../job/compare-gates.ts';
import type { CommandReceipt, Receipt } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { runPaths, stateDirectory, workspacePaths } from '../store/paths.ts';
import { readTask } from '../store/task-file.ts';
import { findRepository, resolveBase } from '../workspace/repository.ts';
import { bestLevel } from '../workspace/sandbox/levels.ts';
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
 * exit 4 where there is nothing to run, exit 5 without a sandbox the user agreed to.
 */
export async function verifyResult(
  context: VerbContext,
  { store, record }: FoundRecord,
  receipt: Receipt | null,
): Promise<Verified> {
  const commit = receipt?.commit ?? null;
  if (receipt === null || commit === null || record.gate.test === null || receipt.after === null) {
    throw nothingToVerify(record);
  }
  const repository = await findRepository(record.checkout);
  await resolveBase(repository, commit);
  const { settings } = effectiveConfig({ env: context.env, projectRoot: null });
  const sandbox = await bestLevel(settings.sandbox.runtime);
  refuseWithoutConsent(sandbox, settings, false);
  const task = readTask(runPaths(store, record.id).task);
  const { folder } = workspacePaths(stateDirectory(context.env), store.repo, record.id);
  // Asked for here: nothing else of the command line needs what runs a job.
  const { verifyAgain } = await import('../runner/verify-again.ts');
  const seen = await verifyAgain({
    record,
    commit,
    rules:
      task.kind === 'ok' ? task.value.proof : { protect: [], allowTestEdits: false, mustFailFirst: false },
    repository,
    folder: join(folder, `verify-${process.pid}`),
    level: sandbox.level,
    runtime: settings.sandbox.runtime,
    network: record.network === 'full' ? settings.sandbox.network : 'none',
    passEnv: passedVariables(context.env, settings.env.pass),
  });
  return { commit, ...compareGates(receipt, seen.outcome), tests: seen.tests, kept: seen.kept };
}

function nothingToVerify(record: JobRecord): UserError {
  return new UserError({
    code: 'nothing_to_verify',
    what: 'no test command has judged this job, so that there is nothing to run once more',
    value: record.id,
    remedy: 'look at its work: cc-delegate diff',
    exit: EXIT.wrongState,
  });
}
