import { type ParseArgsConfig, parseArgs } from 'node:util';
import { parseDuration } from '../job/duration.ts';
import { EXIT, UserError } from '../job/user-error.ts';

/** What every verb takes. */
export const GLOBAL_OPTIONS = {
  json: { type: 'boolean' },
  repo: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O & typeof GLOBAL_OPTIONS; allowPositionals: true; strict: true }>
>;

/** Parses the arguments of a verb; what it does not know is a usage error that names it. */
export function parseVerb<O extends Options>(args: readonly string[], options: O): Parsed<O> {
  try {
    return parseArgs({
      args: listsJoined(args),
      options: { ...options, ...GLOBAL_OPTIONS },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usage(
      error.message.split('\n')[0]?.replace(/\. To specify.*$/, '') ?? 'bad arguments',
      '',
      'see --help',
    );
  }
}

/** The parser takes a value that begins with a dash for an option; no option has a blank after its dash, a list has. */
function listsJoined(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.flatMap((arg, at) => {
    const isBefore = end === -1 || at < end;
    const next = args[at + 1] ?? '';
    if (isBefore && /^--[a-z-]+$/.test(arg) && /^-\s/.test(next)) return [`${arg}=${next}`];
    return isBefore && /^-\s/.test(arg) && /^--[a-z-]+$/.test(args[at - 1] ?? '') ? [] : [arg];
  });
}

export function usage(what: string, value: string, remedy: string): UserError {
  return new UserError({ code: 'usage', what, value, remedy, exit: EXIT.usage });
}

/** Seconds, of `90`, `30m`, `2h`; an explicit 0 is 0. undefined stays undefined. */
export function seconds(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parsed = parseDuration(text);
  if (parsed === null)
    throw usage(`--${option} takes seconds, or a time such as 30m`, text, `e.g. --${option} 30m`);
  return parsed;
}

/** A number of at least `least`; `whole` ones only where a fraction makes no sense. */
export function number(
  option: string,
  text: string | undefined,
  rule: { readonly least: number; readonly whole: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const parsed = text.trim() === '' ? Number.NaN : Number(text);
  const fits = Number.isFinite(parsed) && parsed >= rule.least && (!rule.whole || Number.isInteger(parsed));
  if (fits) return parsed;
  throw usage(
    `--${option} takes a ${rule.whole ? 'whole ' : ''}number of at least ${rule.least}`,
    text,
    'see --help',
  );
}

/** Refuses arguments a verb has no use for: a typing error must not be ignored. */
export function atMost(positionals: readonly string[], most: number): void {
  const extra = positionals[most];
  if (extra !== undefined) throw usage('too many arguments', extra, 'see --help; quote texts with spaces');
}
