import type { Bounds } from './bounds.ts';

/**
 * Does this `config` call only narrow the user's settings? That needs nobody: a model may always bind itself. `args` is
 * what follows `config`; a call with any option but `--json` is none, since its words cannot be told from values.
 */
export function isLowering(args: readonly string[], bounds: Bounds | null): boolean {
  const words = args.filter((arg) => arg !== '--json');
  if (words.some((word) => word.startsWith('-'))) return false;
  const said = words[0] === 'mode' ? ['set', ...words] : words;
  const [verb, key, value] = said;
  if (verb !== 'set' || said.length !== 3 || key === undefined || value === undefined) return false;
  if (bounds === null) return key === 'mode' && value === 'off';
  return LOWERING[key]?.(value, bounds) ?? false;
}

const MODES = ['off', 'ondemand', 'auto'];

const LOWERING: Readonly<Record<string, (value: string, bounds: Bounds) => boolean>> = {
  mode: (value, { mode }) => MODES.includes(value) && MODES.indexOf(value) <= MODES.indexOf(mode),
  'budget.perJob': (value, { perJob }) => isAmountUpTo(value, perJob),
  'budget.perDay': (value, { perDay }) => isAmountUpTo(value, perDay),
  'budget.perRepository': (value, { perRepository }) => isAmountUpTo(value, perRepository),
  'sandbox.network': (value) => value === 'none',
  'sandbox.allowUnsandboxed': (value) => value === 'false',
  'apply.ask': (value) => value === 'true',
};

function isAmountUpTo(text: string, most: number | null): boolean {
  return /^\d+(\.\d+)?$/.test(text) && (most === null || Number(text) <= most);
}
