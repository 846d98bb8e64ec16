import { count } from '../job/format.ts';
import type { Limits } from '../job/limits.ts';
import type { Network } from '../job/record.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { type ModelResolution, resolveModel } from '../provider/resolve-model.ts';
import { limitsOf, type Settings } from '../provider/settings.ts';
import {
  findRepository,
  hasFolder,
  type Repository,
  resolveBase,
  storeIsTracked,
  uncommitted,
} from '../workspace/repository.ts';
import { type BestLevel, bestLevel } from '../workspace/sandbox/levels.ts';
import { refuseBeyondSettings } from './policy.ts';
import type { StartRequest } from './start-options.ts';
import { storeHome } from './store-around.ts';
import type { VerbContext } from './verb.ts';

/** Everything a start has decided before it changes anything. */
export interface StartPlan {
  readonly request: StartRequest;
  readonly settings: Settings;
  readonly repository: Repository;
  /** The working tree whose `.cc-delegate` holds the job. */
  readonly home: string;
  readonly base: string;
  readonly notSeen: { readonly changed: readonly string[]; readonly untracked: readonly string[] };
  readonly model: ModelResolution;
  readonly sandbox: BestLevel;
  readonly network: Network;
  readonly limits: Limits;
  readonly test: string | null;
  readonly setup: string | null;
  readonly passEnv: Readonly<Record<string, string>>;
  readonly notices: readonly string[];
}

/** Reads what a start depends on, and refuses what cannot work or is not allowed. Changes nothing. */
export async function planStart(context: VerbContext, request: StartRequest): Promise<StartPlan> {
  const repository = await findRepository(context.cwd);
  const base = await resolveBase(repository, request.base);
  if (!(await hasFolder(repository, base, repository.subdirectory))) throw notInBase(repository, base);
  if (await storeIsTracked(repository)) throw tracked(repository);
  const { settings, warnings } = effectiveConfig({ env: context.env, projectRoot: repository.checkout });
  if (settings.mode === 'off') throw switchedOff();
  refuseBeyondSettings(context.env, request, settings);
  const warned: string[] = [...warnings];
  const asked = { ...defined('profile', request.profile), ...defined('model', request.model) };
  const model = resolveModel(asked, settings, context.env, (line) => warned.push(line));
  const sandbox = await bestLevel(settings.sandbox.runtime);
  refuseWithoutConsent(sandbox, settings, request);
  const notSeen = await uncommitted(repository);
  const passEnv = passedVariables(context.env, [...settings.env.pass, ...request.passEnv]);
  const limits = { ...limitsOf(settings), ...definedValues(request.limits) };
  return {
    request,
    settings,
    repository,
    home: storeHome(context, repository),
    base,
    notSeen,
    model,
    sandbox,
    network: request.network ?? settings.sandbox.network,
    limits,
    test: request.test ?? settings.test,
    setup: request.setup ?? settings.setup,
    passEnv,
    notices: [...warned, ...model.notices, ...notices(model, notSeen, limits)],
  };
}

function notices(model: ModelResolution, notSeen: StartPlan['notSeen'], limits: Limits): string[] {
  const found: string[] = [];
  const unseen = notSeen.changed.length + notSeen.untracked.length;
  if (unseen > 0)
    found.push(`${count(unseen, 'uncommitted file')} not visible to the worker: commit what it needs`);
  if (model.primary.endpoint.prices === null) {
    found.push(
      `the price of ${model.name} is unknown: a cap of ${limits.maxTokens.toLocaleString('en-US')} tokens takes the budget's place`,
    );
  }
  return found;
}

function passedVariables(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function defined<K extends string>(key: K, value: string | undefined): { [k in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [k in K]: string });
}

/** An explicit 0 is a value; only what was not said at all leaves the setting. */
function definedValues(limits: StartRequest['limits']): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** Below level `full` nothing runs without the user's word; there is no silent downgrade. */
function refuseWithoutConsent(sandbox: BestLevel, settings: Settings, request: StartRequest): void {
  const { allowUnsandboxed, boundary } = settings.sandbox;
  if (sandbox.level === 'full' || boundary === 'container') return;
  if (allowUnsandboxed || request.allowUnsandboxed) return;
  throw new UserError({
    code: 'unsandboxed',
    what: `no full sandbox is available here, only level "${sandbox.level}": the worker's commands could reach your files`,
    value: sandbox.notFull?.why ?? sandbox.backend,
    remedy: `${sandbox.notFull?.remedy ?? 'see: cc-delegate doctor'}; or accept that for this start with --allow-unsandboxed, for good with: cc-delegate config set sandbox.allowUnsandboxed true`,
    exit: EXIT.refused,
  });
}

function tracked(repository: Repository): UserError {
  return new UserError({
    code: 'store_tracked',
    what: 'this repository tracks .cc-delegate: job records in it would not be your own',
    value: repository.checkout,
    remedy: 'remove it from the repository: git rm -r --cached .cc-delegate',
    exit: EXIT.refused,
  });
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

function switchedOff(): UserError {
  return new UserError({
    code: 'mode_off',
    what: 'delegation is switched off',
    value: 'mode: off',
    remedy: 'switch it on: cc-delegate config mode ondemand',
    exit: EXIT.refused,
  });
}
