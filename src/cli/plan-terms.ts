import type { Limits } from '../job/limits.ts';
import type { Network } from '../job/record.ts';
import type { Task } from '../job/task.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { withKnownPrices } from '../provider/price-models.ts';
import { type ModelResolution, resolveModel } from '../provider/resolve-model.ts';
import { limitsOf, type Settings } from '../provider/settings.ts';
import type { Repository } from '../workspace/repository.ts';
import { type BestLevel, bestLevel } from '../workspace/sandbox/levels.ts';
import { extraFolders } from './extra-folders.ts';
import { usage } from './parse.ts';
import { modeUnder } from './permission-mode.ts';
import { requireClient } from './require-client.ts';
import type { StartRequest } from './start-options.ts';
import type { VerbContext } from './verb.ts';
import { refuseForeignPatterns } from './worker-options.ts';

/** On which terms a job runs: with which model, held by what, up to which limits. */
export interface Terms {
  readonly settings: Settings;
  readonly model: ModelResolution;
  readonly sandbox: BestLevel;
  readonly network: Network;
  readonly limits: Limits;
  readonly passEnv: Readonly<Record<string, string>>;
  readonly notices: readonly string[];
}

/** Of a conversation that begins: what its worker has, which every later turn keeps. */
export interface FirstTerms extends Terms {
  readonly worker: Pick<
    Task,
    'allowTools' | 'denyTools' | 'permissionMode' | 'addDirs' | 'clientPrompt' | 'smallModel'
  >;
}

/** Nothing of the model's runs and there is nothing to be reached: what an ask without tools is held by. */
export const NOTHING_RUNS: BestLevel = { level: 'full', backend: 'nothing runs', notFull: null };

/**
 * Reads settings, model and sandbox for what was asked, and refuses what is switched off, or
 * not held by a sandbox the user agreed to. Outside of a repository there is none.
 */
export async function planTerms(
  context: VerbContext,
  request: StartRequest,
  place: { readonly repository: Repository | null; readonly runsSomething: boolean },
): Promise<FirstTerms> {
  const projectRoot = place.repository?.checkout ?? null;
  const { settings, warnings } = effectiveConfig({ env: context.env, projectRoot });
  refuseSwitchedOff(settings);
  const warned: string[] = [...warnings];
  const asked = {
    ...defined('profile', request.profile),
    ...defined('model', request.model),
    ...defined('smallModel', request.smallModel),
    // One request without hands is one request, whoever makes it.
    engine: place.runsSomething ? request.engine : ('native' as const),
  };
  const resolved = resolveModel(asked, settings, context.env, (line) => warned.push(line));
  const model = await withKnownPrices(resolved, context.env);
  const sandbox = place.runsSomething ? await bestLevel(settings.sandbox.runtime) : NOTHING_RUNS;
  refuseWithoutConsent(sandbox, settings, request.allowUnsandboxed);
  await requireClient(context.env, { engine: model.engine, settings, repository: projectRoot });
  if (place.runsSomething) refuseForeignPatterns(model.engine, request);
  const limits = { ...limitsOf(settings), ...definedValues(request.limits) };
  if (!place.runsSomething) refuseUnread(request.addDirs);
  return {
    settings,
    model,
    sandbox,
    network: request.network ?? settings.sandbox.network,
    limits,
    worker: {
      allowTools: request.allowTools,
      denyTools: request.denyTools,
      permissionMode: modeUnder(
        request.permissionMode ?? model.permissionMode,
        settings.permissionCeiling,
        request.allowTools.length > 0,
      ),
      addDirs: extraFolders(context, request.addDirs, {
        repository: place.repository,
        allowed: settings.addDirs,
      }),
      clientPrompt: request.clientPrompt ?? settings.claude.prompt,
      smallModel: request.smallModel ?? null,
    },
    passEnv: passedVariables(context.env, [...settings.env.pass, ...request.passEnv]),
    notices: [
      ...warned,
      ...(request.engine === 'claude' && !place.runsSomething ? [NO_CLIENT] : []),
      ...(model.engine === 'native' && place.runsSomething ? unusedNotice(request) : []),
      ...model.notices,
      ...priceNotice(model, limits),
    ],
  };
}

const NO_CLIENT = 'there is nothing to look at here: it is one request of our own loop, without a client';

/** What only the client reads is said to change nothing where there is none: the option for it was forgotten. */
function unusedNotice({
  clientPrompt,
  smallModel,
}: Pick<StartRequest, 'clientPrompt' | 'smallModel'>): string[] {
  const unused = Object.entries({ '--client-prompt': clientPrompt, '--small-model': smallModel })
    .filter(([, value]) => value !== undefined)
    .map(([option]) => option);
  if (unused.length === 0) return [];
  const verb = unused.length === 1 ? 'changes' : 'change';
  return [`${unused.join(' and ')} ${verb} nothing without --engine claude`];
}

function refuseUnread([first]: readonly string[]): void {
  if (first === undefined) return;
  throw usage(
    'there are no tools to read a folder with',
    `--add-dir ${first}`,
    'give files instead: --file F',
  );
}

type PricedModels = Pick<ModelResolution, 'name' | 'primary' | 'fallbacks'> &
  Partial<Pick<ModelResolution, 'small' | 'engine'>>;

/** Without a price the budget says nothing: then the user hears what bounds the job. */
export function priceNotice(
  { name, primary, fallbacks, small = null, engine }: PricedModels,
  limits: Limits,
): string[] {
  const cap = `a cap of ${limits.maxTokens.toLocaleString('en-US')} tokens`;
  if (primary.endpoint.prices === null)
    return [`the price of ${name} is unknown: ${cap} takes the budget's place`];
  const unpriced = [
    ...fallbacks.map((model) => ({ model, what: 'fallback' })),
    ...(small !== null && engine === 'claude' ? [{ model: small, what: 'small model' }] : []),
  ].filter(({ model }) => model.endpoint.prices === null);
  if (unpriced.length === 0) return [];
  const names = unpriced.map(
    ({ model: { endpoint }, what }) => `${what} ${endpoint.provider}:${endpoint.model}`,
  );
  return [`the price of the ${names.join(', ')} is unknown: with it ${cap} takes the budget's place`];
}

/** The values of these variables, for those that are set. */
export function passedVariables(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function defined<K extends string>(key: K, value: string | undefined): { [k in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [k in K]: string });
}

/** An explicit 0 is a value; only what was not said at all leaves the setting. */
export function definedValues(
  limits: Partial<{ readonly [K in keyof Limits]: number | undefined }>,
): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** Below level `full` nothing runs without the user's word; there is no silent downgrade. */
export function refuseWithoutConsent(sandbox: BestLevel, settings: Settings, consent: boolean): void {
  const { allowUnsandboxed, boundary } = settings.sandbox;
  if (sandbox.level === 'full' || boundary === 'container') return;
  if (allowUnsandboxed || consent) return;
  throw new UserError({
    code: 'unsandboxed',
    what: `no full sandbox is available here, only level "${sandbox.level}": the worker's commands could reach your files`,
    value: sandbox.notFull?.why ?? sandbox.backend,
    remedy: `${sandbox.notFull?.remedy ?? 'see: cc-delegate doctor'}; or accept that for this start with --allow-unsandboxed, for good with: cc-delegate config set sandbox.allowUnsandboxed true`,
    exit: EXIT.refused,
  });
}

/** With mode `off` only reading verbs work. */
export function refuseSwitchedOff(settings: Pick<Settings, 'mode'>): void {
  if (settings.mode !== 'off') return;
  throw new UserError({
    code: 'mode_off',
    what: 'delegation is switched off',
    value: 'mode: off',
    remedy: 'switch it on: cc-delegate config mode ondemand',
    exit: EXIT.refused,
  });
}
