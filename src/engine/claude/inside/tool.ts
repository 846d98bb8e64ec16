import { addressFrom, askGateway } from './ask-gateway.ts';

/**
 * A program of the worker that is a tool of its supervisor: `ask_supervisor "question" ["context"]`. Waits until
 * there is an answer. An argument `-` is what comes on stdin.
 */
export async function runTool(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readStdin: () => Promise<string>,
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  try {
    const given = args.includes('-') ? await readStdin() : '';
    const body = JSON.stringify({ args: args.map((arg) => (arg === '-' ? given : arg)) });
    const { status, text } = await askGateway(addressFrom(env), `/tools/${encodeURIComponent(name)}`, body);
    const answer: unknown = status === 200 ? JSON.parse(text) : null;
    if (!isAnswer(answer))
      return { exitCode: 1, stdout: '', stderr: `${name}: no answer (${status}): ${text}\n` };
    const said = answer.text.endsWith('\n') ? answer.text : `${answer.text}\n`;
    return { exitCode: answer.ok ? 0 : 1, stdout: said, stderr: '' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { exitCode: 1, stdout: '', stderr: `${name}: ${why}\n` };
  }
}

function isAnswer(value: unknown): value is { readonly ok: boolean; readonly text: string } {
  if (typeof value !== 'object' || value === null) return false;
  return 'ok' in value && typeof value.ok === 'boolean' && 'text' in value && typeof value.text === 'string';
}
