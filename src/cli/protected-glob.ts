import { globToRegExp } from '../workspace/files-glob.ts';
import { Refusal } from '../workspace/files-result.ts';
import { usage } from './parse.ts';

/** A pattern of paths relative to the repository's root. Throws UserError (exit 2) for what is none. */
export function protectedGlob(pattern: string): string {
  if (pattern.trim() === '') throw usage('--protect is empty', pattern, "e.g. --protect 'test/**'");
  try {
    globToRegExp(pattern);
    return pattern.replace(/^\.?\/+/, '');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw usage('--protect takes a glob', pattern, "e.g. --protect 'test/**'");
  }
}
