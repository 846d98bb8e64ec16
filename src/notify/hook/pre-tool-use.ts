import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripControls, trimLine } from '../../job/format.ts';
import type { Bounds } from '../consent/bounds.ts';
import { readBounds } from '../consent/bounds-file.ts';
import { callWords } from '../consent/call-words.ts';
import {
  type Destination,
  destinationsIn,
  destinationsText,
  sentFrom,
  unagreed,
} from '../consent/first-send.ts';
import { GRANT_LIFE_MS } from '../consent/grant.ts';
import { isTyped, mint, revokeDialogs } from '../consent/grants.ts';
import { judgeTool, type ToolVerdict } from '../consent/judge-tool.ts';
import { repositoryOf } from '../repository-of.ts';
import { type HookCall, isAttended } from './call.ts';

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
  const cwd = typeof input.cwd === 'string' ? input.cwd : '/';
  const bounds = readBounds(userDir);
  const verdict = judgeTool({
    tool: typeof input.tool_name === 'string' ? input.tool_name : '',
    input: isObject(input.tool_input) ? input.tool_input : {},
    cwd,
    userDir: resolve(userDir),
    home: env.HOME ?? homedir(),
    bounds,
    // Where nobody is to be asked, the program says it and remembers that nobody was.
    newTo: (argv) => {
      const news = isAttended(env) ? newDestinations({ userDir, env, cwd }, argv, bounds) : [];
      return news.length === 0 ? null : destinationsText(news);
    },
    isGranted: (argv, need) => isTyped(userDir, session, { argv, need, now }),
  });
  if (verdict.kind === 'free') return null;
  if (verdict.kind === 'deny') return decision('deny', `cc-delegate: ${verdict.why}`);
  if (!isAttended(env)) {
    return decision(
      'deny',
      `cc-delegate: only the user may do this, and nobody is here to ask; ${verdict.why}`,
    );
  }
  for (const argv of verdict.calls) {
    const to = newDestinations({ userDir, env, cwd }, argv, bounds);
    const named = to.length > 0 && { to };
    mint(userDir, session, { kind: 'dialog', argv, ...named, expiresAt: now + GRANT_LIFE_MS });
  }
  return decision('ask', question(verdict));
}

/** Where this call sends to that the work of its repository has not gone to, with a yes. */
function newDestinations(
  { userDir, env, cwd }: Pick<PolicyCall, 'userDir' | 'env'> & { readonly cwd: string },
  argv: readonly string[],
  bounds: Bounds | null,
): readonly Destination[] {
  const wanted = bounds === null ? [] : destinationsIn(argv, bounds);
  if (wanted.length === 0) return [];
  const [elsewhere] = callWords(argv).values('--repo');
  const place = elsewhere === undefined ? cwd : resolve(cwd, elsewhere);
  // Asks outside of any repository have a folder of ours for one.
  const repo = repositoryOf(place, env) ?? join(resolve(userDir), 'asks');
  return unagreed(sentFrom(userDir, repo), wanted);
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
