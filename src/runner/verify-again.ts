import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRecord, Network, SandboxLevel } from '../job/record.ts';
import type { ProofRules } from '../job/task.ts';
import { type Evidence, type EvidenceSpec, evidence } from '../verify/evidence.ts';
import { createClone } from '../workspace/clone.ts';
import { makeReady } from '../workspace/ready/ready.ts';
import { removeTree } from '../workspace/remove.ts';
import type { Repository } from '../workspace/repository.ts';
import { openSandbox } from '../workspace/sandbox/open.ts';

/** Recorded work, and on which terms it is judged once more. */
export interface AgainRequest {
  readonly record: JobRecord;
  readonly commit: string;
  readonly rules: ProofRules;
  readonly repository: Repository;
  /** A folder that is not there yet, for this alone; removed at the end. */
  readonly folder: string;
  readonly level: SandboxLevel;
  readonly runtime: string | null;
  readonly network: Network;
  readonly passEnv: Readonly<Record<string, string>>;
}

/**
 * The gate once more on a recorded commit, as it ran when the job ended: fresh checkouts, a sandbox, the user's
 * dependencies as they are now. Nothing is spent and no record is changed. Throws UserError as git and the
 * sandbox do.
 */
export async function verifyAgain(request: AgainRequest): Promise<Evidence> {
  const { record, commit, rules, repository, folder } = request;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await evidence({
      ...{ repository, commit, rules, folder: join(folder, 'evidence') },
      base: record.base,
      subdirectory: record.subdirectory,
      setup: record.gate.setup,
      test: record.gate.test,
      before: record.preflight,
      timeoutMs: record.limits.testTimeout * 1000,
      inCheckout: checkouts(request),
    });
  } finally {
    await removeTree(folder);
  }
}

function checkouts(request: AgainRequest): EvidenceSpec['inCheckout'] {
  const { record, repository, level, runtime, network, passEnv } = request;
  return async (commit, use) => {
    const folder = join(request.folder, 'gate');
    await removeTree(folder);
    const checkout = join(folder, 'checkout');
    await createClone({ repository, id: record.id, commit, branch: record.branch, folder: checkout });
    const own = join(folder, 'own');
    const ready = await makeReady({
      ...{ repository, base: record.base, workspace: checkout },
      folder: join(folder, 'ready'),
    });
    const sandbox = await openSandbox({
      jobId: record.id,
      workspace: checkout,
      home: join(folder, 'home'),
      temp: join(folder, 'tmp'),
      levelWanted: level,
      ...{ passEnv, runtime, network },
      readable: [...repository.objectDirectories, ...ready.objectDirectories],
    });
    try {
      return await use({ sandbox, checkout, cwd: join(checkout, record.subdirectory), folder: own });
    } finally {
      await sandbox.dispose();
    }
  };
}
