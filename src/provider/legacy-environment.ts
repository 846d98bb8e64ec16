import { EXIT, UserError } from '../job/user-error.ts';
import type { LegacyKey } from './find-key.ts';
import { keyVariables, PROVIDERS } from './providers.ts';
import { parseReference, type Reference } from './reference.ts';

/** What the variables of the older product say; all of it counts only while no profile is defined. */
export interface LegacyEnvironment {
  readonly model: Reference | null;
  readonly key: LegacyKey | null;
  /** The part of the settings they set, in the form of `config.yaml`. */
  readonly settings: {
    readonly limits: Readonly<Record<string, number>>;
    readonly budget: Readonly<Record<string, number>>;
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variable, the limit it sets, and what one of its units is in ours. */
const LIMITS: readonly (readonly [string, string, number])[] = [
  ['DELEGATE_RECURSION_LIMIT', 'maxSteps', 1],
  ['DELEGATE_RUBRIC_MAX_ITERATIONS', 'maxGrades', 1],
  ['DELEGATE_TIMEOUT_MS', 'timeout', 0.001],
  ['DELEGATE_STALL_TIMEOUT_S', 'stallTimeout', 1],
  ['DELEGATE_ASK_TIMEOUT_S', 'askTimeout', 1],
  ['DELEGATE_CMD_TIMEOUT_S', 'commandTimeout', 1],
];

export const NO_LEGACY: LegacyEnvironment = { model: null, key: null, settings: { limits: {}, budget: {} } };

/**
 * Reads them. An empty variable is an unset one. The key is for the provider of DELEGATE_MODEL and for no other;
 * without a model nobody knows whose it is, and it is not used. Throws UserError (exit 2) with the variable's name.
 */
export function readLegacyEnvironment(env: Environment): LegacyEnvironment {
  const model = read(env, 'DELEGATE_MODEL');
  const reference = model === null ? null : parseReference(model, { own: null, profiles: {} });
  const budget = number(env, 'DELEGATE_MAX_BUDGET_USD', false);
  const limits = LIMITS.flatMap(([variable, limit, unit]) => {
    const value = number(env, variable, limit.startsWith('max'));
    return value === null ? [] : [[limit, value * unit] as const];
  });
  return {
    model: reference,
    key: reference === null ? null : legacyKey(env, reference.provider),
    settings: { limits: Object.fromEntries(limits), budget: budget === null ? {} : { perJob: budget } },
  };
}

function legacyKey(env: Environment, provider: string): LegacyKey | null {
  const own = read(env, 'DELEGATE_API_KEY');
  if (own !== null) return { variable: 'DELEGATE_API_KEY', key: own, provider };
  const variable = read(env, 'DELEGATE_API_KEY_ENV_VAR');
  const foreign = PROVIDERS.some(
    (entry) => entry.id !== provider && variable !== null && keyVariables(entry).includes(variable),
  );
  const named = variable === null || foreign ? null : read(env, variable);
  return variable === null || named === null ? null : { variable, key: named, provider };
}

function read(env: Environment, variable: string): string | null {
  const value = env[variable]?.trim();
  return value === undefined || value === '' ? null : value;
}

function number(env: Environment, variable: string, whole: boolean): number | null {
  const text = read(env, variable);
  if (text === null) return null;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0 && (!whole || Number.isInteger(value))) return value;
  throw new UserError({
    code: 'invalid_environment',
    what: `the environment variable ${variable} is not valid`,
    value: text,
    remedy: `set it to a ${whole ? 'whole number' : 'number'} of at least 0, or unset it`,
    exit: EXIT.usage,
  });
}
