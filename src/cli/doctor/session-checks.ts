import { existsSync } from 'node:fs';
import which from 'which';
import { bellFile, isSessionId } from '../../notify/places.ts';
import { allSessions, readSession } from '../../notify/sessions.ts';
import { askVersion, CLIENT_FLOOR, isAtLeast } from '../../provider/claude-client.ts';
import { loginKindOf } from '../../provider/login/saved-logins.ts';
import { userDirectory } from '../../store/paths.ts';
import { rulesState } from '../claude-settings/allow-rules.ts';
import { statusLineState } from '../claude-settings/status-line.ts';
import { describeProfiles, type ShownProfile } from '../config/describe-profiles.ts';
import type { VerbContext } from '../verb.ts';
import { type Check, check, type Finding } from './finding.ts';
import { RUNG_WORDS, rungOf } from './wake-up.ts';

/** What a session of Claude Code has of us: each of it can be missing, and a job works all the same. */
export async function sessionChecks(context: VerbContext): Promise<Check[]> {
  return [
    await check('client', () => clientCheck(context)),
    await check('hooks', () => hooksCheck(context)),
    await check('wake-up', () => wakeCheck(context)),
    await check('status line', () => statusLineCheck(context)),
    await check('allow rules', () => rulesCheck(context)),
  ];
}

/** A key for every profile, the default among them; nothing without profiles. */
export async function profileChecks(context: VerbContext): Promise<Check[]> {
  // What is wrong with the file itself, the check of the default model says as well.
  const readable = await check('profiles', () => String(describeProfiles(context).length));
  if (!readable.ok) return [readable];
  return Promise.all(
    describeProfiles(context).map((each) => check(`profile ${each.name}`, () => profileFinding(each))),
  );
}

function profileFinding({ provider, model, isDefault, key }: ShownProfile): Finding {
  const text = `${provider}:${model}${isDefault ? ' (default)' : ''}`;
  const isLogin = loginKindOf(provider) !== null;
  if (key.remedy === null) {
    if (key.source === null) return `${text} · no key needed`;
    return isLogin ? `${text} · ${key.source}` : `${text} · key found (${key.source})`;
  }
  const isCommand = key.remedy.startsWith('cc-delegate ');
  const missing = isLogin ? 'not logged in' : isCommand ? 'no key' : 'not all it needs is set';
  const remedy = isCommand ? `type in a terminal: ${key.remedy}` : key.remedy;
  return { text: `${text} · ${missing}`, remedy, note: true };
}

/** The person's own, as the person starts it; see engine-check.ts for the one that jobs start. */
async function clientCheck({ env, cwd }: VerbContext): Promise<Finding> {
  const path = await which('claude', { nothrow: true, path: env.PATH ?? '' });
  const remedy = `npm install -g @anthropic-ai/claude-code (${CLIENT_FLOOR} or newer)`;
  if (path === null) return { text: 'Claude Code is not on the PATH', remedy, note: true };
  const { version } = await askVersion(path, env, cwd);
  if (version === null) return { text: `${path} does not say its version`, remedy, note: true };
  if (isAtLeast(version, CLIENT_FLOOR)) return `Claude Code ${version}`;
  return { text: `Claude Code ${version} is too old`, remedy: 'claude update', note: true };
}

function hooksCheck({ env }: VerbContext): Finding {
  const userDir = userDirectory(env);
  const id = env.CLAUDE_CODE_SESSION_ID;
  const remedy = 'install the plugin (README, "Inside Claude Code"), then begin a new session';
  if (isSessionId(id)) {
    if (readSession(userDir, id) !== null) return 'they ran at the start of this session';
    return { text: 'they did not run at the start of this session', remedy, note: true };
  }
  const newest = allSessions(userDir)
    .map(({ startedAt }) => startedAt)
    .sort()
    .at(-1);
  if (newest !== undefined) return `last seen ${newest}`;
  return { text: 'they have not run yet', remedy, note: true };
}

function wakeCheck({ env }: VerbContext): Finding {
  const id = env.CLAUDE_CODE_SESSION_ID;
  const inSession = isSessionId(id);
  const hasBell = inSession && existsSync(bellFile(userDirectory(env), id));
  const isAttended = env.CLAUDE_CODE_SESSION_ATTENDED !== '0';
  const hasBackground = !['1', 'true'].includes(env.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS ?? '');
  const rung = rungOf({ inSession, hasBell, isAttended, hasBackground });
  const text = RUNG_WORDS[rung];
  if (rung === 'bell' || rung === 'terminal' || !isAttended) return text;
  return { text, remedy: 'the bell comes with the plugin: begin a new session', note: true };
}

function statusLineCheck({ env }: VerbContext): Finding {
  const state = statusLineState(env);
  if (state.kind === 'ours') return state.wraps === null ? 'installed' : `installed, below: ${state.wraps}`;
  const text = state.kind === 'other' ? 'not installed; another one is, and would be kept' : 'not installed';
  return { text, remedy: 'cc-delegate statusline install', note: true };
}

function rulesCheck({ env }: VerbContext): Finding {
  const { offered, present } = rulesState(env);
  if (present.length === offered.length) return 'reading verbs run unasked';
  const text = `Claude Code asks before ${offered.length - present.length} of ${offered.length} reading verbs`;
  return { text, remedy: 'see: cc-delegate config allow-rules show', note: true };
}
