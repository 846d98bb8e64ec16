import { boundLimits } from '../job/bound-limits.ts';
import type { Limits } from '../job/limits.ts';
import type { JobRecord } from '../job/record.ts';
import type { Task } from '../job/task.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { withKnownPrices } from '../provider/price-models.ts';
import { type ModelResolution, resolveModel } from '../provider/resolve-model.ts';
import { limitsOf, type Settings } from '../provider/settings.ts';
import { foldersStillThere } from '../workspace/folders-beside.ts';
import { bestLevel } from '../workspace/sandbox/levels.ts';
import { refuseInherited } from './inherited-consent.ts';
import { isBoundModel } from './model-caller.ts';
import { modeOfNext } from './permission-mode.ts';
import {
  NOTHING_RUNS,
  passedVariables,
  priceNotice,
  refuseSwitchedOff,
  refuseWithoutConsent,
  type Terms,
} from './plan-terms.ts';
import { requireClient } from './require-client.ts';
import type { VerbContext } from './verb.ts';

/** The model of a new job, where the caller names one. */
export interface ModelFlags {
  readonly model?: string | undefined;
  readonly profile?: string | undefined;
}

export interface InheritedTerms extends Terms {
  /**
   * Of the job before: its mode under today's ceiling, its folders as far as they are still there, and its small model.
   * Where the caller names another model, that one's profile says which small model, and may lower the mode.
   */
  readonly kept: Pick<Task, 'permissionMode' | 'addDirs' | 'smallModel'>;
}

/**
 * The terms of an earlier job for one that goes on from it: the same model, network, variables and sandbox consent,
 * under today's settings. Throws UserError: exit 5 for a model that is no longer allowed, a lower sandbox than the
 * user agreed to, or a calling model that would inherit what the person has agreed to for one call.
 */
export async function inheritTerms(
  context: VerbContext,
  record: JobRecord,
  task: Task,
  wanted: {
    readonly verb: 'followup' | 'resume' | 'retry';
    readonly limits: Limits;
    readonly projectRoot: string | null;
    readonly flags?: ModelFlags;
  },
): Promise<InheritedTerms> {
  const { env } = context;
  const { settings, warnings } = effectiveConfig({ env, projectRoot: wanted.projectRoot });
  refuseSwitchedOff(settings);
  const warned: string[] = [...warnings];
  const warn = (line: string): void => void warned.push(line);
  const { verb, flags = {} } = wanted;
  const smallModel = isNamed(flags) ? null : task.smallModel;
  const found = inheritModel(record, settings, env, warn, { ...flags, smallModel: smallModel ?? undefined });
  const model = await withKnownPrices(found, env);
  const sandbox = task.ask?.tools === false ? NOTHING_RUNS : await bestLevel(settings.sandbox.runtime);
  await requireClient(env, { engine: model.engine, settings, repository: wanted.projectRoot });
  const { mode: permissionMode, lowered } = modeOfNext(task, isNamed(flags) ? model : null, settings);
  const { network } = record;
  const folders = foldersStillThere(task.addDirs);
  const kept = { permissionMode, addDirs: folders.there, smallModel };
  const inherited = { network, passEnv: task.passEnv, sandbox, model, ...kept };
  refuseInherited(context, { verb, record, settings }, inherited);
  refuseWithoutConsent(sandbox, settings, record.sandbox === sandbox.level);
  const passEnv = passedVariables(env, task.passEnv);
  const missing = task.passEnv.filter((name) => passEnv[name] === undefined);
  if (missing.length > 0) warn(`not set any more, and not passed on: ${missing.join(', ')}`);
  const { limits, notice } = bounded(wanted.limits, settings, isBoundModel(context));
  return {
    settings,
    model,
    sandbox,
    network,
    limits,
    kept,
    passEnv,
    notices: [
      ...[...warned, ...lowered, ...folders.notices, ...model.notices, ...notice],
      ...priceNotice(model, limits),
    ],
  };
}

function inheritModel(
  record: JobRecord,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  warn: (line: string) => void,
  flags: ModelFlags & { readonly smallModel: string | undefined },
): ModelResolution {
  const { engine } = record;
  if (isNamed(flags)) return resolveModel({ ...flags, engine }, settings, env, warn);
  const { smallModel } = flags;
  const { model, modelSource } = record;
  const isThere = record.profile !== null && Object.hasOwn(settings.profiles, record.profile);
  if (record.profile !== null && !isThere)
    warn(`the profile ${record.profile} is gone; its model is used without it`);
  const profile = isThere ? (record.profile ?? undefined) : undefined;
  return { ...resolveModel({ model, engine, profile, smallModel }, settings, env, warn), modelSource };
}

function isNamed({ model, profile }: ModelFlags): boolean {
  return model !== undefined || profile !== undefined;
}

/** Once more as much as the person granted for once is for the person to say. */
function bounded(
  limits: Limits,
  settings: Settings,
  isBound: boolean,
): { limits: Limits; notice: readonly string[] } {
  return isBound ? boundLimits(limits, limitsOf(settings)) : { limits, notice: [] };
}
