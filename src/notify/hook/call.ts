import { isSessionId } from '../places.ts';

/** What a hook was called with. */
export interface HookCall {
  /** The client's JSON, checked by nobody yet. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly env: NodeJS.ProcessEnv;
  readonly userDir: string;
  /** The folder of the built program. */
  readonly program: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the client gets. 2 wakes the session, and is for nothing else: an error of ours never ends with it. */
export interface HookAnswer {
  readonly exit: 0 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

export const NOTHING: HookAnswer = { exit: 0, stdout: '', stderr: '' };

export function answer(json: object): HookAnswer {
  return { exit: 0, stdout: `${JSON.stringify(json)}\n`, stderr: '' };
}

/** A text for the model, in the form all events have in common. */
export function context(hookEventName: string, additionalContext: string): HookAnswer {
  return answer({ hookSpecificOutput: { hookEventName, additionalContext } });
}

/** The session the hook is for; null when the client did not say, or not in its own form. */
export function sessionOf({ input, env }: Pick<HookCall, 'input' | 'env'>): string | null {
  const id = input.session_id ?? env.CLAUDE_CODE_SESSION_ID;
  return isSessionId(id) ? id : null;
}

/** Is a person in front of the session? Taken to be so where the client does not say. */
export function isAttended(env: NodeJS.ProcessEnv): boolean {
  return env.CLAUDE_CODE_SESSION_ATTENDED !== '0';
}
