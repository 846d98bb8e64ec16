import { visiblePath } from '../../job/format.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import type { Bounds } from './bounds.ts';
import { callerOf } from './caller.ts';
import { type Grant, jobIn } from './grant.ts';
import { burn } from './grants.ts';
import { type Need, needOf } from './need.ts';

/** What a call is judged by. */
export interface Request {
  /** What follows `cc-delegate`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own folder. */
  readonly userDir: string;
  /** The user's settings, read when they are needed. */
  readonly bounds: () => Promise<Bounds | null>;
}

/**
 * The program's last word on who may make this call. A person may; a model may within the settings, and beyond with the
 * person's consent to exactly this call, which is used up here and returned: null where none was needed. Throws UserError
 * (exit 5) with the command the person can type in a terminal.
 */
export async function permit({ argv, env, userDir, bounds }: Request): Promise<Grant | null> {
  if (needOf(argv, null) === null && !GOING_ON.has(argv[0] ?? '')) return null;
  const caller = callerOf(env, userDir);
  if (caller.kind === 'person') return null;
  const { session, isAttended } = caller;
  const use = (need: Need): Grant | null =>
    session !== null && isAttended ? burn(userDir, session, { argv, need, now: Date.now() }) : null;
  const need = needOf(argv, await bounds());
  if (need === null) return named(argv, use);
  const grant = use(need);
  if (grant === null) throw refusal(argv, need);
  return grant;
}

const GOING_ON = new Set(['followup', 'resume', 'retry']);

/**
 * Within the settings, but it goes on with a job: the person may have typed a command that names it. That is their word
 * for a job of another session, and for what it was allowed then.
 */
function named([verb = '', ...args]: readonly string[], use: (need: Need) => Grant | null): Grant | null {
  if (!GOING_ON.has(verb)) return null;
  const id = jobIn(args);
  if (id === undefined) return null;
  const byName = (name: string): Grant | null => use({ verb, why: 'goes on with a job', words: [name] });
  return byName(id) ?? byName(id.slice(-6));
}

function refusal(argv: readonly string[], need: Need): UserError {
  return new UserError({
    code: 'needs_the_user',
    what: `only the user may do this: it ${need.why}`,
    value: `cc-delegate ${need.verb}`,
    remedy: `the user may type in a terminal: ${['cc-delegate', ...argv].map(quoted).join(' ')}`,
    exit: EXIT.refused,
  });
}

/** As a shell takes it back; characters a terminal would act on are shown as escapes. */
function quoted(arg: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(arg)) return arg;
  return `'${visiblePath(arg).replaceAll("'", `'\\''`)}'`;
}
