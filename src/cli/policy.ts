import { EXIT, UserError } from '../job/user-error.ts';
import type { Settings } from '../provider/settings.ts';
import { isModelCaller } from './config/write-gate.ts';
import type { StartRequest } from './start-options.ts';

/**
 * A model that calls us may spend what the user has set, with the model the user has set, and nothing
 * beyond. Everything above needs the person: in a terminal of their own.
 */
export function refuseBeyondSettings(
  env: NodeJS.ProcessEnv,
  request: StartRequest,
  settings: Settings,
): void {
  if (!isModelCaller(env)) return;
  const beyond = beyondSettings(request, settings);
  if (beyond === null) return;
  throw new UserError({
    code: 'needs_the_user',
    what: 'only the user may go beyond their settings',
    value: beyond,
    remedy: `leave ${beyond.split(' ')[0]} out, or ask the user to run this in a terminal`,
    exit: EXIT.refused,
  });
}

/** The first option of a start that asks for more than the settings give; null when none does. */
export function beyondSettings(request: StartRequest, settings: Settings): string | null {
  const { profile, model, limits, network, allowUnsandboxed, passEnv } = request;
  if (profile !== undefined && profile !== settings.defaultProfile) return `--profile ${profile}`;
  if (model !== undefined) return `--model ${model}`;
  if (limits.budgetUsd !== undefined && limits.budgetUsd > settings.budget.perJob)
    return `--budget ${limits.budgetUsd}`;
  if (allowUnsandboxed && !settings.sandbox.allowUnsandboxed) return '--allow-unsandboxed';
  if (network === 'full' && settings.sandbox.network !== 'full') return '--network full';
  const foreign = passEnv.find((name) => !settings.env.pass.includes(name));
  return foreign === undefined ? null : `--pass-env ${foreign}`;
}
