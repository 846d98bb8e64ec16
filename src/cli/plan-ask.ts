import { NO_RULES } from '../job/task.ts';
import { ensureFolder } from '../store/folders.ts';
import { userDirectory } from '../store/paths.ts';
import { type Repository, resolveBase } from '../workspace/repository.ts';
import type { AskRequest } from './ask-options.ts';
import { refuseTooLong } from './context-size.ts';
import type { JobPlan, Place } from './job-plan.ts';
import { refuseTracked } from './plan-start.ts';
import { NOTHING_RUNS, planTerms } from './plan-terms.ts';
import { repositoryAround } from './repository-around.ts';
import { asksFolder, storeHome } from './store-around.ts';
import type { VerbContext } from './verb.ts';

/** An ask, and what its caller should be told. */
export interface AskPlan {
  readonly job: JobPlan;
  readonly notices: readonly string[];
}

/** Reads what an ask depends on, and refuses what cannot work or is not allowed. Changes nothing but the user's folder. */
export async function planAsk(context: VerbContext, request: AskRequest): Promise<AskPlan> {
  const { start } = request;
  const repository = await repositoryAround(context.cwd);
  // Where there is nothing to look at, tools have nothing to do.
  const tools = request.tools && repository !== null;
  const terms = await planTerms(context, start, { repository, runsSomething: tools });
  refuseTooLong(start.prompt, terms.model);
  const place = repository === null ? placeOutside(context) : await placeIn(context, repository, tools);
  return {
    job: {
      title: start.title ?? '',
      task: {
        prompt: start.prompt,
        done: null,
        appendSystemPrompt: start.appendSystemPrompt ?? null,
        forceStart: false,
        passEnv: [],
        notSeen: { changed: 0, untracked: 0 },
        includeDirty: false,
        committed: null,
        ...terms.worker,
        scope: [],
        passCaps: false,
        proof: NO_RULES,
        unheard: [],
        goesOn: null,
        ask: { tools, schema: request.schema },
      },
      place,
      turn: null,
      model: terms.model,
      sandbox: tools ? terms.sandbox : NOTHING_RUNS,
      boundary: terms.settings.sandbox.boundary,
      network: 'none',
      limits: terms.limits,
      concurrency: terms.settings.concurrency,
      after: null,
      test: null,
      setup: null,
      passEnv: {},
    },
    notices: terms.notices,
  };
}

async function placeIn(context: VerbContext, repository: Repository, tools: boolean): Promise<Place> {
  await refuseTracked(repository);
  return {
    home: storeHome(context, repository),
    repository,
    checkout: repository.checkout,
    cwd: context.cwd,
    subdirectory: repository.subdirectory,
    base: tools ? await resolveBase(repository) : '',
  };
}

/** Its record lives in the user's own folder, as if that were a repository. */
function placeOutside(context: VerbContext): Place {
  const home = asksFolder(userDirectory(context.env));
  ensureFolder(home);
  return { home, repository: null, checkout: home, cwd: context.cwd, subdirectory: '', base: '' };
}
