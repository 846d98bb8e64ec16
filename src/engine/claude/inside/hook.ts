import { addressFrom, askGateway } from './ask-gateway.ts';

/** The guard answers from memory; whatever takes longer is no answer. */
const ANSWER_MS = 20_000;
/** The worker's programs that wait for a person. */
const WAITING = /(^|[\s;&|({`"'/])(ask_supervisor|report_blocker)(?=[\s;&|)}`"']|$)/;
/** No exit code but this one keeps the client from running the command. */
const BLOCKED = 2;

interface HookInput {
  readonly cwd: string;
  readonly command: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The client's PreToolUse hook for its shell: asks the guard, and gives a command that waits for the supervisor the
 * time it needs. Resolves with the exit code; what it cannot find out is a no.
 */
export async function runHook(
  stdin: string,
  env: Readonly<Record<string, string | undefined>>,
  limits: { readonly longestMs: number; readonly answerMs: number },
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  try {
    const input = readInput(stdin);
    const body = JSON.stringify({ command: input.command, cwd: input.cwd });
    const { status, text } = await askGateway(addressFrom(env), '/guard', body, ANSWER_MS);
    if (status !== 200) throw new Error(`the guard answered ${status}: ${text}`);
    const answer = readAnswer(text);
    const output = answer.allow
      ? timeFor(input, limits)
      : { ...DENY, permissionDecisionReason: answer.reason };
    const stdout = output === null ? '' : JSON.stringify({ hookSpecificOutput: { ...HOOK, ...output } });
    return { exitCode: 0, stdout, stderr: '' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      exitCode: BLOCKED,
      stdout: '',
      stderr: `the guard could not be asked, so nothing was run: ${why}\n`,
    };
  }
}

const HOOK = { hookEventName: 'PreToolUse' };
const DENY = { permissionDecision: 'deny' };

/** A longer time for what waits, never more than the longest for the rest; null: as the client has it. */
function timeFor(
  { command, fields }: HookInput,
  { longestMs, answerMs }: { readonly longestMs: number; readonly answerMs: number },
): { readonly updatedInput: object } | null {
  if (WAITING.test(command)) return { updatedInput: { ...fields, timeout: answerMs } };
  const { timeout } = fields;
  if (typeof timeout !== 'number' || timeout <= longestMs) return null;
  return { updatedInput: { ...fields, timeout: longestMs } };
}

function readInput(stdin: string): HookInput {
  const value = record(JSON.parse(stdin));
  const fields = record(value.tool_input);
  const { cwd } = value;
  const { command } = fields;
  if (typeof cwd !== 'string' || typeof command !== 'string') throw new Error('no command was shown');
  return { cwd, command, fields };
}

function readAnswer(text: string): { allow: true } | { allow: false; reason: string } {
  const { allow, reason } = record(JSON.parse(text));
  if (allow === true) return { allow };
  if (allow === false) return { allow, reason: typeof reason === 'string' ? reason : 'the guard said no' };
  throw new Error('the guard gave no answer');
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('no JSON object');
  return { ...value };
}
