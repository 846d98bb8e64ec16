import { EXIT, UserError } from '../job/user-error.ts';

/** `all`, or the models that may be used: `provider:model`, or a model's name alone at any provider. */
export type AllowedModels = 'all' | readonly string[];

export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

export function modelText(name: ModelName): string {
  return `${name.provider}:${name.model}`;
}

export function isAllowed(allowed: AllowedModels, name: ModelName): boolean {
  return allowed === 'all' || allowed.includes(modelText(name)) || allowed.includes(name.model);
}

/** Throws UserError (exit 5) with the list; a model is never swapped for another one. */
export function requireAllowed(allowed: AllowedModels, name: ModelName): void {
  if (isAllowed(allowed, name) || allowed === 'all') return;
  throw new UserError({
    code: 'model_not_allowed',
    what: 'this model is not among the allowed ones',
    value: modelText(name),
    remedy: `allowed: ${allowed.length === 0 ? 'none' : allowed.join(', ')}; the user may change that: cc-delegate config allow MODEL…`,
    exit: EXIT.refused,
  });
}

/**
 * The one allowed model a short name stands for, e.g. `v4-flash`; null when it stands for none. Throws UserError
 * (exit 2) with the list when there are several.
 */
export function expandShortName(allowed: AllowedModels, typed: string): string | null {
  if (allowed === 'all' || /[/:]/.test(typed) || typed === '') return null;
  const wanted = typed.toLowerCase();
  const exact = allowed.filter((entry) => lastPart(entry) === wanted);
  const found = exact.length > 0 ? exact : allowed.filter((entry) => lastPart(entry).includes(wanted));
  if (found.length <= 1) return found[0] ?? null;
  throw new UserError({
    code: 'ambiguous_model',
    what: 'this name stands for several allowed models',
    value: typed,
    remedy: `name one: ${found.join(', ')}`,
    exit: EXIT.usage,
  });
}

function lastPart(entry: string): string {
  const slash = entry.lastIndexOf('/');
  const start = slash >= 0 ? slash + 1 : entry.indexOf(':') + 1;
  return entry.slice(start).toLowerCase();
}
