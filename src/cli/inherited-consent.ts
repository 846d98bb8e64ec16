import { shortId } from '../job/ids.ts';
import { isAbove, type PermissionMode } from '../job/permission-mode.ts';
import type { JobRecord } from '../job/record.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { type ModelResolution, resolveModel } from '../provider/resolve-model.ts';
import type { Settings } from '../provider/settings.ts';
import type { BestLevel } from '../workspace/sandbox/levels.ts';
import { isAllowed } from './extra-folders.ts';
import { isBoundModel } from './model-caller.ts';
import type { VerbContext } from './verb.ts';

/** What a job takes over from an earlier one. */
export interface Inheritance {
  readonly network: JobRecord['network'];
  /** Names of variables. */
  readonly passEnv: readonly string[];
  /** Real paths. */
  readonly addDirs: readonly string[];
  readonly sandbox: BestLevel;
  readonly model: Pick<ModelResolution, 'name' | 'profile'>;
  /** As it was typed for a job before; null: that of the profile. */
  readonly smallModel: string | null;
  /** null: it allows all there is. */
  readonly permissionMode: PermissionMode | null;
}

/** Which model a start without a word about it would get; null when none. */
type OwnModel = Pick<ModelResolution, 'name' | 'profile' | 'permissionMode'> | null;

/**
 * The parts of it that are beyond the user's settings as they are now, in words: what the person has agreed to for one
 * call, or had set then.
 */
export function beyondSettings(
  { network, passEnv, addDirs, sandbox, model, smallModel, permissionMode }: Inheritance,
  settings: Settings,
  own: OwnModel,
): string[] {
  const { allowUnsandboxed, boundary } = settings.sandbox;
  const isHeld = sandbox.level === 'full' || boundary === 'container' || allowUnsandboxed;
  const ownMode = own?.permissionMode ?? settings.permissionMode ?? settings.permissionCeiling;
  const isOwnMode = ownMode === null || (permissionMode !== null && !isAbove(permissionMode, ownMode));
  const isOwnModel = model.name === own?.name && model.profile === own.profile;
  return [
    ...(isHeld ? [] : [`sandbox level "${sandbox.level}"`]),
    ...(network === 'none' || settings.sandbox.network === 'full' ? [] : [`network ${network}`]),
    ...passEnv.filter((name) => !settings.env.pass.includes(name)).map((name) => `variable ${name}`),
    ...addDirs.filter((folder) => !isAllowed(folder, settings.addDirs)).map((folder) => `folder ${folder}`),
    ...(isOwnModel ? [] : [`model ${model.name}`]),
    ...(smallModel === null ? [] : [`small model ${smallModel}`]),
    ...(isOwnMode
      ? []
      : [permissionMode === null ? 'no permission mode' : `permission mode ${permissionMode}`]),
  ];
}

/**
 * A yes of the person was for one call: a model does not inherit it. Throws UserError (exit 5) when the job would run
 * beyond today's settings, unless the person has agreed to this call too.
 */
export function refuseInherited(
  context: VerbContext,
  call: { readonly verb: string; readonly record: JobRecord; readonly settings: Settings },
  inherited: Inheritance,
): void {
  if (!isBoundModel(context)) return;
  const { verb, record, settings } = call;
  const beyond = beyondSettings(inherited, settings, ownModel(settings, context.env));
  if (beyond.length === 0) return;
  throw new UserError({
    code: 'needs_the_user',
    what: 'only the user may go on with what is beyond their settings, or was agreed to for one call',
    value: beyond.join(', '),
    remedy: `the user may type in a terminal: cc-delegate ${verb} ${shortId(record.id)}${verb === 'followup' ? ' "…"' : ''}`,
    exit: EXIT.refused,
  });
}

function ownModel(settings: Settings, env: NodeJS.ProcessEnv): OwnModel {
  try {
    return resolveModel({}, settings, env, () => undefined);
  } catch (error) {
    // No default, or none with a key: then no model goes without saying.
    if (error instanceof UserError) return null;
    throw error;
  }
}
