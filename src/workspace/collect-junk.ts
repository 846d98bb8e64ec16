import { JUNK } from './git-directory.ts';

/** Is this path, or a folder it is in, what tools leave behind? Not worth a word to the user. */
export function matchesJunk(path: string): boolean {
  return path.split('/').some((part) => JUNK.some((pattern) => matches(part, pattern)));
}

function matches(part: string, pattern: string): boolean {
  return pattern.startsWith('*') ? part.endsWith(pattern.slice(1)) : part === pattern;
}
