import type { ExitCode } from '../job/user-error.ts';

/** What a verb may know of the process it runs in. `main` makes the real one, tests make their own. */
export interface CommandContext {
  /** The arguments after the verb. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** Writes one line to stderr; the line break is added here. */
  stderr(line: string): void;
  readonly json: boolean;
}

/** What a verb answers: `json` for `--json`, `text` (without a last line break) for people. Only `main` prints it. */
export interface Output {
  readonly json: unknown;
  readonly text: string;
  readonly exit: ExitCode;
}
