import { joined, parentOf } from '../../job/relative-path.ts';

/** `@docs/style.md`, alone or in a sentence; not in an address such as `a@b.c`. */
const IMPORT = /(?<![^\s(])@([\w./-]*\w)/g;
/** What stands in code is shown, not meant. */
const CODE = /^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm;

/**
 * The files an instruction file asks to be read with it, as Claude Code spells it, relative to the root. `path` is the
 * file's own. Only what is in the repository: a path that leads out of it, or begins with `/` or `~`, is left alone. Pure.
 */
export function importsOf(path: string, text: string): string[] {
  const named = [...text.replace(CODE, '').matchAll(IMPORT)].map(([, name = '']) => name);
  const paths = named.map((name) => joined(parentOf(path), name));
  return [...new Set(paths)].filter((each) => each !== '' && !each.startsWith('/') && !each.startsWith('..'));
}
