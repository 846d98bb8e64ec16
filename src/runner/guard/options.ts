/** Which options of a program take the next word as their value. */
export interface OptionValues {
  /** Letters of short options. */
  readonly letters: string;
  readonly longs: readonly string[];
}

export const NO_VALUES: OptionValues = { letters: '', longs: [] };

/** Where the options end: the index of the first word that is no option and no option's value. */
export function afterOptions(argv: readonly string[], from: number, values: OptionValues): number {
  let index = from;
  while (index < argv.length) {
    const word = argv[index] ?? '';
    if (word === '--') return index + 1;
    if (!/^-./.test(word)) return index;
    index += takesNext(word, values) ? 2 : 1;
  }
  return index;
}

/** The words of a program that takes options anywhere, without options and their values. */
export function operands(argv: readonly string[], values: OptionValues): string[] {
  const found: string[] = [];
  for (let index = 1; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return [...found, ...argv.slice(index + 1)];
    if (!/^-./.test(word)) found.push(word);
    else if (takesNext(word, values)) index += 1;
  }
  return found;
}

/** Does one of the options before `--` have this letter or this long name? */
export function hasOption(argv: readonly string[], letters: string, ...longs: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(1, end === -1 ? undefined : end).some((word) => {
    if (word.startsWith('--')) return longs.includes(word.split('=', 1)[0] ?? '');
    return word.startsWith('-') && [...letters].some((letter) => word.includes(letter));
  });
}

function takesNext(word: string, { letters, longs }: OptionValues): boolean {
  if (word.startsWith('--')) return longs.includes(word);
  // In a cluster, the first letter with a value takes the rest of it, or the next word when nothing is left.
  const at = [...word.slice(1)].findIndex((letter) => letters.includes(letter));
  return at !== -1 && at === word.length - 2;
}
