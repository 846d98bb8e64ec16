import type { VerbContext } from '../../src/cli/verb.ts';
import type { Grant } from '../../src/notify/consent/grant.ts';

/** A call of a verb as `main` makes it: by a model of session `s1`, unless the environment says otherwise. */
export function contextOf(wanted: {
  readonly cwd: string;
  readonly userDir: string;
  readonly args?: readonly string[];
  readonly consent?: Grant | null;
  readonly env?: Readonly<Record<string, string>>;
}): VerbContext {
  const { cwd, userDir, args = [], consent = null } = wanted;
  const env = wanted.env ?? { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };
  return {
    args,
    cwd,
    consent,
    env: { PATH: process.env.PATH, ...env, CC_DELEGATE_HOME: userDir, HOME: userDir },
    stdin: process.stdin,
    stdout: () => undefined,
    stderr: () => undefined,
    json: true,
    program: '',
  };
}

/** What the person has agreed to in the client's dialog, or typed. */
export function agreed(words: readonly string[], kind: 'dialog' | 'typed' = 'dialog'): Grant {
  const expiresAt = Date.now() + 60_000;
  return kind === 'dialog'
    ? { kind, argv: words, expiresAt }
    : { kind, verb: 'delegate-ask', words, expiresAt };
}
