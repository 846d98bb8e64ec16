import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A path as a rule of gitignore(5) that means it and nothing else. */
export function excludeRule(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, (character) => `\\${character}`)}`;
}

/** What we put into a checkout of ours is none of the worker's `git add -A`. */
export async function excludeProvided(checkout: string, paths: readonly string[]): Promise<void> {
  // A rule is one line: such a name is kept out of the result by its path alone.
  const rules = paths.filter((path) => !path.includes('\n')).map((path) => `${excludeRule(path)}\n`);
  if (rules.length > 0) await appendFile(join(checkout, '.git', 'info', 'exclude'), rules.join(''));
}
