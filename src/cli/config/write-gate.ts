import { visiblePath } from '../../job/format.ts';
import { EXIT, UserError } from '../../job/user-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Is a program the caller: a Claude Code session, or a worker of ours? People have neither variable. */
export function isModelCaller(env: Environment): boolean {
  const set = (value: string | undefined) => value !== undefined && value !== '' && value !== '0';
  return set(env.CLAUDECODE) || set(env.CC_DELEGATE_WORKER);
}

/**
 * Settings are the person's own. Throws UserError (exit 5) for a program as the caller, with the command the
 * person can type in a terminal. `args` are those after `config`.
 */
export function requirePerson(env: Environment, args: readonly string[]): void {
  if (!isModelCaller(env)) return;
  throw new UserError({
    code: 'user_only',
    what: 'settings are changed by the user only, not from inside a session',
    value: `config ${args[0] ?? ''}`.trim(),
    remedy: `the user may type in a terminal: ${['cc-delegate', 'config', ...args].map(quoted).join(' ')}`,
    exit: EXIT.refused,
  });
}

/** As a shell takes it back; characters a terminal would act on are shown as escapes. */
function quoted(arg: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(arg)) return arg;
  return `'${visiblePath(arg).replaceAll("'", `'\\''`)}'`;
}
