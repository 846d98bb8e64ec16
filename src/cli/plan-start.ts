import { stopsReading } from '../job/closed-pipe.ts';
import type { JobId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { findRepository, hasFolder, type Repository, storeIsTracked } from '../workspace/repository.ts';
import { baseOfTask, type TaskBase } from './base-of-task.ts';
import { isBoundModel } from './model-caller.ts';
import { type FirstTerms, planTerms } from './plan-terms.ts';
import { predecessor } from './predecessor.ts';
import { scopeOf } from './scope.ts';
import type { StartRequest } from './start-options.ts';
import { storeHome } from './store-around.ts';
import type { VerbContext } from './verb.ts';

/** Everything a start has decided before it changes anything. */
export interface StartPlan extends FirstTerms, TaskBase {
  readonly request: StartRequest;
  readonly repository: Repository;
  /** The working tree whose `.cc-delegate` holds the job. */
  readonly home: string;
  /** The job this one waits for. */
  readonly after: JobId | null;
  readonly test: string | null;
  readonly setup: string | null;
  /** Folders its changes belong in, relative to the root. */
  readonly scope: readonly string[];
}

/**
 * Reads what a start depends on, and refuses what cannot work or is not allowed. Changes nothing, but for the object
 * store, which gets the uncommitted work that is to be taken along.
 */
export async function planStart(context: VerbContext, request: StartRequest): Promise<StartPlan> {
  const repository = await findRepository(context.cwd);
  await refuseTracked(repository);
  const after = await predecessor(context, request);
  const terms = await planTerms(context, request, { repository, runsSomething: true });
  const from = await baseOfTask(repository, { rev: request.base, includeDirty: request.includeDirty });
  if (!(await hasFolder(repository, from.base, repository.subdirectory)))
    throw notInBase(repository, from.base);
  const test = request.test ?? terms.settings.test;
  return {
    ...terms,
    ...from,
    request,
    repository,
    home: storeHome(context, repository),
    after: after?.id ?? null,
    committed: after?.committed ?? from.committed,
    // What has a base of its own takes nothing along.
    remedy: after === null ? from.remedy : null,
    test,
    setup: request.setup ?? terms.settings.setup,
    scope: scopeOf(request.scope, terms.settings.scope, repository, isBoundModel(context)),
    notices: [...terms.notices, ...pipeNotice(test), ...from.notices],
  };
}

/** Throws UserError (exit 5) when the repository brings job records of its own. */
export async function refuseTracked(repository: Repository): Promise<void> {
  if (!(await storeIsTracked(repository))) return;
  throw new UserError({
    code: 'store_tracked',
    what: 'this repository tracks .cc-delegate: job records in it would not be your own',
    value: repository.checkout,
    remedy: 'remove it from the repository: git rm -r --cached .cc-delegate',
    exit: EXIT.refused,
  });
}

/** A test that fails of how it is written fails for every worker. */
function pipeNotice(test: string | null): string[] {
  const reader = test === null ? null : stopsReading(test);
  if (reader === null) return [];
  return [
    `the test fails when any part of a pipe does, and a part may fail because ${reader} stops reading: have it read to the end (grep … >/dev/null)`,
  ];
}

/** The worker and the tests start in the folder the caller stands in: it has to be there for them too. */
function notInBase({ checkout, subdirectory }: Repository, base: string): UserError {
  return new UserError({
    code: 'folder_not_in_base',
    what: 'the folder you are in is not part of the commit the worker starts from',
    value: `${subdirectory} in ${base.slice(0, 8)}`,
    remedy: `commit it first, or start from the top: --repo ${checkout}`,
    exit: EXIT.environment,
  });
}
