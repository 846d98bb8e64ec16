/** What the program inside is told to do, as a file of the job that the worker cannot change. */
export interface RunFile {
  /** The client and its arguments. */
  readonly client: readonly [string, ...string[]];
  /** The gateway's socket, and what it wants to hear. */
  readonly socket: string;
  readonly token: string;
  /** The worker's programs; first on its PATH. */
  readonly programs: string;
  readonly configFolder: string;
  readonly cwd: string;
  readonly session: string;
  /** The conversation up to now; null: it begins. */
  readonly restore: string | null;
}

const TEXTS = ['socket', 'token', 'programs', 'configFolder', 'cwd', 'session'] as const;

/** Reads it back. Throws where it is not what the runner has written. */
export function parseRunFile(text: string): RunFile {
  const value: unknown = JSON.parse(text);
  if (!isRunFile(value)) throw new Error('the run file is not what was written');
  return value;
}

function isRunFile(value: unknown): value is RunFile {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Partial<Record<string, unknown>> = { ...value };
  return (
    TEXTS.every((name) => typeof fields[name] === 'string') &&
    (fields.restore === null || typeof fields.restore === 'string') &&
    Array.isArray(fields.client) &&
    fields.client.length > 0 &&
    fields.client.every((part) => typeof part === 'string')
  );
}
