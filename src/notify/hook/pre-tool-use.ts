import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { stripControls, trimLine } from '../../job/format.ts';
import { readBounds } from '../consent/bounds-file.ts';
import { GRANT_LIFE_MS } from '../consent/grant.ts';
import { isTyped, mint, revokeDialogs } from '../consent/grants.ts';
import { judgeTool, type ToolVerdict } from '../consent/judge-tool.ts';
import type { HookCall } from './call.ts';

/** The client's JSON, checked by nobody yet, and where and when it came. */
export type PolicyCall = Pick<HookCall, 'input' | 'env' | 'userDir' | 'now'>;

/**
 * Before a tool of the session's model runs: what changes policy meets the client's permission dialog, which shows
 * exactly what would run, and a grant for exactly that waits for the person's yes. Returns what the client is to be
 * told, null for nothing. Without a person in front of the session nothing is asked: it is refused.
 */
export function preToolUse({ input, env, userDir, now }: PolicyCall): object | null {
  const session = typeof input.session_id === 'string' ? input.session_id : '';
  // Whatever a dialog was shown for before, and was not used, was not wanted.
  revokeDialogs(userDir, session, now);
  const verdict = judgeTool({
    tool: typeof input.tool_name === 'string' ? input.tool_name : '',
    input: isObject(input.tool_input) ? input.tool_input : {},
    cwd: typeof input.cwd === 'string' ? input.cwd : '/',
    userDir: resolve(userDir),
    home: env.HOME ?? homedir(),
    bounds: readBounds(userDir),
    isGranted: (argv, need) => isTyped(userDir, session, { argv, need, now }),
  });
  if (verdict.kind === 'free') return null;
  if (verdict.kind === 'deny') return decision('deny', `cc-delegate: ${verdict.why}`);
  if (env.CLAUDE_CODE_SESSION_ATTENDED === '0') {
    return decision(
      'deny',
      `cc-delegate: only the user may do this, and nobody is here to ask; ${verdict.why}`,
    );
  }
  for (const argv of verdict.calls) {
    mint(userDir, session, { kind: 'dialog', argv, expiresAt: now + GRANT_LIFE_MS });
  }
  return decision('ask', question(verdict));
}

function question({ why }: Extract<ToolVerdict, { kind: 'ask' }>): string {
  const lines = stripControls(why).split('\n').slice(0, 12);
  return `cc-delegate asks you: ${lines.map((line) => trimLine(line, 300)).join('\n')}`;
}

function decision(permissionDecision: 'ask' | 'deny', permissionDecisionReason: string): object {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
