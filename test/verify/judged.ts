import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeJobId } from '../../src/job/ids.ts';
import { type CheckoutPlace, type Evidence, type EvidenceSpec, evidence } from '../../src/verify/evidence.ts';
import { createClone } from '../../src/workspace/clone.ts';
import { findRepository } from '../../src/workspace/repository.ts';
import { openSandbox } from '../../src/workspace/sandbox/open.ts';
import { type Files, git, makeFolder, makeRepository, writeFiles } from '../helpers/repository.ts';

const ID = makeJobId(Date.now(), 11);

/** What a worker did to the base's files: a text or null, which deletes; or by hand. */
export type Work = Readonly<Record<string, string | null>> | ((checkout: string) => void);

export interface Trial {
  readonly base: Files;
  readonly work: Work;
  readonly test: string;
  readonly setup?: string;
  readonly rules?: Partial<EvidenceSpec['rules']>;
  readonly subdirectory?: string;
  readonly before?: EvidenceSpec['before'];
  /** Beside `RUN`, which is the number of the checkout, from 1. */
  readonly passEnv?: Record<string, string>;
}

/** The gate's word on work in a real repository: collected as one commit on the base, judged in real checkouts. */
export async function judged(trial: Trial): Promise<Evidence> {
  const folder = makeFolder();
  const path = join(folder, 'repository');
  mkdirSync(path);
  makeRepository(trial.base, path);
  const base = git(path, 'rev-parse', 'HEAD');
  const commit = commitWork(path, trial.work);
  git(path, 'reset', '-q', '--hard', base);
  const repository = await findRepository(path);
  const { subdirectory = '', setup = null, test, before = null } = trial;
  let runs = 0;
  const inCheckout: EvidenceSpec['inCheckout'] = async (revision, use) => {
    const gate = join(folder, 'gate');
    rmSync(gate, { recursive: true, force: true });
    mkdirSync(gate);
    runs += 1;
    const checkout = join(gate, 'checkout');
    await createClone({ repository, id: ID, commit: revision, branch: 'work', folder: checkout });
    const sandbox = await openSandbox({
      jobId: ID,
      workspace: checkout,
      home: join(gate, 'home'),
      temp: join(gate, 'tmp'),
      passEnv: { ...trial.passEnv, RUN: String(runs) },
      readable: repository.objectDirectories,
      pace: { graceMs: 100, drainMs: 300 },
    });
    const place: CheckoutPlace = {
      sandbox,
      checkout,
      cwd: join(checkout, subdirectory),
      folder: join(gate, 'own'),
    };
    return use(place).finally(() => sandbox.dispose());
  };
  return evidence({
    ...{ repository, base, commit, subdirectory, setup, test, before, inCheckout },
    rules: { protect: [], allowTestEdits: false, mustFailFirst: false, ...trial.rules },
    folder: join(folder, 'own'),
    timeoutMs: 60_000,
  });
}

/** As the collector does: what stands in the files is the work, in one commit. */
function commitWork(path: string, work: Work): string {
  if (typeof work === 'function') work(path);
  else {
    for (const [name, text] of Object.entries(work)) {
      if (text === null) rmSync(join(path, name), { recursive: true });
      else writeFiles(path, { [name]: text });
    }
  }
  git(path, 'add', '-A', '-f');
  git(path, 'commit', '-q', '--allow-empty', '-m', 'work');
  return git(path, 'rev-parse', 'HEAD');
}
