import { readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { userDirectory } from '../../store/paths.ts';
import { type HookAnswer, type HookCall, NOTHING } from './call.ts';

/** Events of the client, and what we do at them. */
export type Hooks = Readonly<Record<string, (call: HookCall) => HookAnswer>>;

/**
 * One hook, from the client's JSON to the answer for it. `program` is the folder of the built program. Nothing for
 * what a worker starts, for an event that is none of these, and for text that is no JSON object.
 */
export function runHook(
  hooks: Hooks,
  event: string,
  text: string,
  env: NodeJS.ProcessEnv,
  program: string,
): HookAnswer {
  const hook = Object.hasOwn(hooks, event) ? hooks[event] : undefined;
  const input = parse(text);
  if (env.CC_DELEGATE_WORKER === '1' || hook === undefined || input === null) return NOTHING;
  return hook({ input, env, userDir: userDirectory(env), program, now: Date.now() });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // Not from the client, or cut short: there is nobody to tell.
    return null;
  }
}

/** The whole of a hook's process, `<program> EVENT` with the client's JSON on stdin; returns its exit code. */
export function answerClient(hooks: Hooks): number {
  try {
    const [script = '', event = ''] = process.argv.slice(1);
    const answer = runHook(hooks, event, readFileSync(0, 'utf8'), process.env, dirname(script));
    // At once and without a stream, which would have to be loaded first.
    if (answer.stdout !== '') writeSync(1, answer.stdout);
    if (answer.stderr !== '') writeSync(2, answer.stderr);
    return answer.exit;
  } catch (error) {
    // Never 2, which would mean something to the client.
    process.stderr.write(`cc-delegate: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
