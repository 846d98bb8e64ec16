/** The words of a call, read without knowing the verb's options. */
export interface CallWords {
  has(flag: string): boolean;
  /** Every value of an option, however it is given. */
  values(flag: string): string[];
}

/**
 * Reads options where they may stand. What it cannot tell (`--title --model`) counts as the option it looks like; the
 * program refuses such a call as ambiguous.
 */
export function callWords(args: readonly string[]): CallWords {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return {
    has: (flag) => options.includes(flag),
    values: (flag) =>
      options.flatMap((arg, at) => {
        if (arg.startsWith(`${flag}=`)) return [arg.slice(flag.length + 1)];
        return arg === flag ? [options[at + 1] ?? ''] : [];
      }),
  };
}

/**
 * By its spelling alone: does this path lead out of the directory the call is made in? The program itself can see links,
 * and looks again.
 */
export function leadsOut(path: string): boolean {
  return /^(?:[/~\\]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..');
}

/** A value of the caller's, kept short. */
export function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
