/** About the words behind the verb; options are those before `--`. */
export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'first'; readonly words: readonly string[] }
  | { readonly kind: 'firstNot'; readonly words: readonly string[] }
  | { readonly kind: 'firstBegins'; readonly prefixes: readonly string[] }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'count'; readonly atLeast: number }
  /** A short option among `letters`; what follows a letter of `stop` is that option's value. */
  | { readonly kind: 'letter'; readonly letters: string; readonly stop: string }
  | { readonly kind: 'long'; readonly options: readonly string[] }
  | { readonly kind: 'any' | 'all'; readonly of: readonly Condition[] };

/** What the conditions look at. */
export interface Words {
  readonly words: readonly string[];
  /** Short options without their dash, as they were written: `fd` of `-fd`. */
  readonly clusters: readonly string[];
  readonly longs: readonly string[];
}

/** Splits what follows a verb. The shim does the same in sh. */
export function splitWords(args: readonly string[]): Words {
  const end = args.indexOf('--');
  const before = end === -1 ? args : args.slice(0, end);
  const after = end === -1 ? [] : args.slice(end + 1);
  return {
    words: [...before.filter((arg) => !/^-./.test(arg)), ...after],
    clusters: before.filter((arg) => /^-[^-]/.test(arg)).map((arg) => arg.slice(1)),
    longs: before.filter((arg) => arg.startsWith('--')),
  };
}

export function holds(condition: Condition, given: Words): boolean {
  const [head = ''] = given.words;
  switch (condition.kind) {
    case 'always':
      return true;
    case 'first':
      return condition.words.includes(head);
    case 'firstNot':
      return !condition.words.includes(head);
    case 'firstBegins':
      return condition.prefixes.some((prefix) => head.startsWith(prefix));
    case 'word':
      return given.words.some((each) => condition.words.includes(each));
    case 'count':
      return given.words.length >= condition.atLeast;
    case 'letter':
      return given.clusters.some((cluster) => {
        const options = until(cluster, condition.stop);
        return [...condition.letters].some((each) => options.includes(each));
      });
    case 'long':
      return given.longs.some((each) => condition.options.includes(each));
    case 'any':
      return condition.of.some((each) => holds(each, given));
    case 'all':
      return condition.of.every((each) => holds(each, given));
  }
}

function until(cluster: string, stop: string): string {
  const at = [...cluster].findIndex((each) => stop.includes(each));
  return at === -1 ? cluster : cluster.slice(0, at);
}
