import { constants } from 'node:os';
import type { ErrorKind, RunOutcome } from '../engine.ts';
import type { ResultLine } from './events.ts';
import type { LaunchEnd } from './options.ts';

/** Everything that is known when the client has ended. */
export interface Ending {
  /** What we stopped the client for: it has the last word. */
  readonly own: Extract<RunOutcome, { status: 'failed' }> | null;
  /** What the gateway did not let pass, or gave up on. */
  readonly gateway: Extract<RunOutcome, { status: 'stopped' | 'failed' }> | null;
  readonly aborted: boolean;
  /** The last one: several are normal. */
  readonly result: ResultLine | null;
  readonly end: LaunchEnd;
  readonly maxTurns: number;
}

const TAIL_CHARACTERS = 2000;

/**
 * How a run of the client ended. The gateway knows better than the client why a request failed; the client's own
 * `subtype` says `success` for errors too and is not looked at (2.1.332).
 */
export function outcomeOf({ own, gateway, aborted, result, end, maxTurns }: Ending): RunOutcome {
  if (own !== null) return own;
  if (gateway !== null) return gateway;
  if (aborted) return { status: 'aborted' };
  if (end.notStarted !== null) return failed(`the client could not be started: ${end.notStarted}`);
  if (result === null) return failed(`${withoutResult(end)} (${exitOf(end)})${tailOf(end.stderr)}`);
  if (result.terminal_reason === 'max_turns') {
    const detail = `${maxTurns} of ${maxTurns} steps used`;
    return { status: 'stopped', stop: { kind: 'failed', reason: 'max_steps', detail } };
  }
  const text = result.result ?? '';
  if (result.is_error) {
    const said = text !== '' ? text : (result.errors ?? []).join('; ');
    const known = inOurWords(said);
    if (known !== null) return { status: 'failed', ...known };
    return {
      status: 'failed',
      kind: kindOf(result),
      message: said === '' ? `the client failed (${exitOf(end)})` : said,
    };
  }
  // An answer without a word, after the client has asked for one.
  if (text.trim() === '') return { status: 'failed', kind: 'empty', message: 'an empty response' };
  return { status: 'done', finalText: text };
}

/** The client names variables that a worker does not have, and what stands above on a screen there is none (2.1.332). */
function inOurWords(said: string): { readonly kind: ErrorKind; readonly message: string } | null {
  const most = /exceeded the (\d+) output token maximum/.exec(said)?.[1];
  if (most !== undefined) {
    const what = `the model did not come to the end of its answer within ${most} output tokens`;
    const remedy = 'where it may write more: cc-delegate config profile set NAME --max-output N';
    return { kind: 'engine', message: `${what}; ${remedy}` };
  }
  if (said.startsWith('API Error: Connection lost mid-response'))
    return { kind: 'transient', message: "the endpoint's answer broke off, again and again" };
  return null;
}

/** With a shell's exit codes for a program that cannot be run, more is known; the remedy stands before what was said. */
function withoutResult({ exitCode }: LaunchEnd): string {
  if (exitCode !== 126 && exitCode !== 127) return 'the client ended without a result';
  return 'the client cannot run in the sandbox; claude.path must name the program itself, not a script that starts it';
}

const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: 'bad_request',
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'bad_request',
  413: 'overflow',
  429: 'rate_limit',
};

function kindOf({ terminal_reason: reason, api_error_status: status }: ResultLine): ErrorKind {
  if (reason === 'prompt_too_long') return 'overflow';
  if (status === null || status === undefined) return 'engine';
  return KINDS[status] ?? (status >= 500 ? 'transient' : 'engine');
}

function failed(message: string): RunOutcome {
  return { status: 'failed', kind: 'engine', message };
}

/** A signal that ended the client comes through the launcher and its shell as 128 and its number. */
function exitOf({ exitCode, signal }: LaunchEnd): string {
  if (signal !== null) return signal;
  const number = (exitCode ?? 0) - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return name ?? `exit ${exitCode}`;
}

/** What the client says of models it does not know is no reason for anything. */
function tailOf(stderr: string): string {
  const told = stderr
    .split('\n')
    .filter((line) => !line.startsWith('[claude-code:unrecognized_model]'))
    .join('\n')
    .trim();
  return told === '' ? '' : `: ${told.slice(-TAIL_CHARACTERS)}`;
}
