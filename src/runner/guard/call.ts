import { resolvePath } from './place.ts';
import type { Scope } from './scope.ts';
import type { Refusal } from './verdict.ts';

/** One command, its words evaluated. */
export interface Call {
  readonly argv: readonly string[];
  readonly stdin: string | null;
  /** What `source <(…)` and `sh <(…)` would read. */
  readonly substituted: string | null;
  /** GIT_DIR as the command would see it. */
  readonly gitDir: string | null;
}

/** How a text inside a command is judged; given by the walker. */
export type JudgeSource = (text: string, stdin: string | null) => Refusal | null;

/** What the text itself wrote into a file; null for any other file. */
export function fileText(file: string, scope: Scope): string | null {
  const path = resolvePath(scope.cwd, file);
  return path === null ? null : (scope.files.get(path) ?? null);
}
