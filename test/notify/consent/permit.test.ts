import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UserError } from '../../../src/job/user-error.ts';
import { DEFAULT_BOUNDS } from '../../../src/notify/consent/bounds.ts';
import { mint } from '../../../src/notify/consent/grants.ts';

import { permit } from '../../../src/notify/consent/permit.ts';
import { preToolUse } from '../../../src/notify/hook/pre-tool-use.ts';
import { promptExpansion } from '../../../src/notify/hook/prompt-expansion.ts';
import { promptSubmit } from '../../../src/notify/hook/prompt-submit.ts';
import { stop } from '../../../src/notify/hook/stop.ts';
import { identify } from '../../../src/store/liveness.ts';
import { makeFolder } from '../../helpers/repository.ts';

const SESSION = 'ceeebeb9-8df4-4275-b096-8457764267b4';
const NOW = Date.now();
const MODEL = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_CODE_SESSION_ATTENDED: '1' };

async function attempt(
  userDir: string,
  argv: string[],
  env: Record<string, string> = MODEL,
): Promise<number> {
  try {
    await permit({ argv, env, userDir, bounds: async () => DEFAULT_BOUNDS });
    return 0;
  } catch (error) {
    if (error instanceof UserError) return error.explanation.exit;
    throw error;
  }
}

function bash(command: string) {
  return { session_id: SESSION, cwd: '/w', tool_name: 'Bash', tool_input: { command } };
}

const typed = (name: string, args: string) => ({
  session_id: SESSION,
  expansion_type: 'slash_command',
  command_source: 'plugin',
  command_name: `cc-delegate:${name}`,
  command_args: args,
});

it('lets a person do everything, and a model what is within the settings', async () => {
  const userDir = makeFolder();
  expect(await attempt(userDir, ['config', 'mode', 'auto'], {})).toBe(0);
  expect(await attempt(userDir, ['status'])).toBe(0);
  expect(await attempt(userDir, ['config', 'mode', 'auto'])).toBe(5);
});

it('names the command the person can type in a terminal, as a shell takes it', async () => {
  const argv = ['config', 'set', 'supervisorModel', "it's; rm"];
  const call = permit({ argv, env: MODEL, userDir: makeFolder(), bounds: async () => null });
  await expect(call).rejects.toThrow("cc-delegate config set supervisorModel 'it'\\''s; rm'");
});

it('takes the dialog as the consent to one call', async () => {
  const userDir = makeFolder();
  const asked = preToolUse({
    input: bash('cc-delegate config mode auto'),
    env: MODEL,
    userDir,
    now: Date.now(),
  });
  expect(asked).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } });
  expect(JSON.stringify(asked)).toContain('cc-delegate config mode auto');
  expect(await attempt(userDir, ['config', 'mode', 'auto', '--json'])).toBe(5);
  expect(await attempt(userDir, ['config', 'mode', 'auto'])).toBe(0);
  expect(await attempt(userDir, ['config', 'mode', 'auto'])).toBe(5);
});

it('takes the consent back when anything else comes up before it is used', async () => {
  for (const next of ['PreToolUse', 'UserPromptSubmit', 'Stop']) {
    const userDir = makeFolder();
    const call = { env: MODEL, userDir, program: '', now: NOW };
    preToolUse({ ...call, input: bash('cc-delegate config mode auto') });
    const later = { ...call, now: NOW + 3000, input: { session_id: SESSION, prompt: 'no' } };
    if (next === 'PreToolUse') preToolUse({ ...later, input: bash('cc-delegate status') });
    else if (next === 'Stop') stop(later);
    else promptSubmit(later);
    expect(await attempt(userDir, ['config', 'mode', 'auto']), next).toBe(5);
  }
});

it('keeps the consents of calls made at once apart, and takes none for a yes', async () => {
  const userDir = makeFolder();
  const ask = (command: string) => preToolUse({ input: bash(command), env: MODEL, userDir, now: NOW });
  ask('cc-delegate config mode auto');
  expect(ask('cc-delegate config mode auto')).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'ask' },
  });
  ask('cc-delegate config allow all');
  expect(await attempt(userDir, ['config', 'mode', 'auto'])).toBe(0);
  expect(await attempt(userDir, ['config', 'allow', 'all'])).toBe(0);
});

it('refuses without asking where nobody is in front of the session', async () => {
  const userDir = makeFolder();
  const alone = { ...MODEL, CLAUDE_CODE_SESSION_ATTENDED: '0' };
  const answer = preToolUse({
    input: bash('cc-delegate config mode auto'),
    env: alone,
    userDir,
    now: Date.now(),
  });
  expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  promptExpansion({ input: typed('delegate-setup', 'mode auto'), env: alone, userDir, now: NOW });
  expect(await attempt(userDir, ['config', 'mode', 'auto'], alone)).toBe(5);
  // Not even with a grant that an attended session has left.
  mint(userDir, SESSION, {
    kind: 'dialog',
    argv: ['config', 'mode', 'auto'],
    expiresAt: Date.now() + 60_000,
  });
  expect(await attempt(userDir, ['config', 'mode', 'auto'], alone)).toBe(5);
});

it('takes what the person typed as the consent, once, and asks no second time', async () => {
  const userDir = makeFolder();
  promptExpansion({ input: typed('delegate-apply', 'a1b2c3'), env: MODEL, userDir, now: NOW });
  expect(preToolUse({ input: bash('cc-delegate apply a1b2c3'), env: MODEL, userDir, now: NOW })).toBeNull();
  expect(await attempt(userDir, ['apply', 'a1b2c3'])).toBe(0);
  expect(await attempt(userDir, ['apply', 'a1b2c3'])).toBe(5);
});

it('takes a typed command that names a job for the consent to go on with it, once', async () => {
  const userDir = makeFolder();
  const use = (argv: string[]) => permit({ argv, env: MODEL, userDir, bounds: async () => DEFAULT_BOUNDS });
  expect(await use(['followup', 'a1b2c3', 'more'])).toBeNull();
  for (const called of ['a1b2c3', 't_m3k9x2f1_a1b2c3']) {
    const input = typed('delegate-followup', 'a1b2c3 more');
    promptExpansion({ input, env: MODEL, userDir, now: NOW });
    expect(await use(['followup', 'zzzzzz', 'more'])).toBeNull();
    expect(await use(['followup', called, 'more'])).toMatchObject({ kind: 'typed' });
    expect(await use(['followup', called, 'more'])).toBeNull();
  }
});

it('keeps the consent of one session from another', async () => {
  const userDir = makeFolder();
  promptExpansion({ input: typed('delegate-apply', 'a1b2c3'), env: MODEL, userDir, now: NOW });
  expect(await attempt(userDir, ['apply', 'a1b2c3'], { ...MODEL, CLAUDE_CODE_SESSION_ID: 'other' })).toBe(5);
});

it('takes no command of anybody else for ours', async () => {
  const userDir = makeFolder();
  for (const other of [{ command_source: 'project' }, { command_name: 'other:delegate-apply' }]) {
    const input = { ...typed('delegate-apply', 'a1b2c3'), ...other };
    promptExpansion({ input, env: MODEL, userDir, now: NOW });
  }
  expect(await attempt(userDir, ['apply', 'a1b2c3'])).toBe(5);
});

it('knows a session by its process where the variables were taken away', async () => {
  const userDir = makeFolder();
  const { pid, startTime } = identify(process.ppid);
  mkdirSync(join(userDir, 'sessions'));
  const file = join(userDir, 'sessions', `${SESSION}.json`);
  writeFileSync(file, JSON.stringify({ sessionId: SESSION, pid, startTime: `${startTime}0` }));
  expect(await attempt(userDir, ['config', 'mode', 'auto'], {})).toBe(0);
  writeFileSync(file, JSON.stringify({ sessionId: SESSION, pid, startTime }));
  expect(await attempt(userDir, ['config', 'mode', 'auto'], {})).toBe(5);
  preToolUse({ input: bash('cc-delegate config mode auto'), env: MODEL, userDir, now: NOW });
  expect(await attempt(userDir, ['config', 'mode', 'auto'], {})).toBe(0);
});

it.each(['', '{', '[]', '{"kind":"typed"}', '{"kind":"dialog","argv":["config","mode","auto"]}'])(
  'reads no consent from a file of the form %j',
  async (text) => {
    const userDir = makeFolder();
    mkdirSync(join(userDir, 'grants', SESSION), { recursive: true });
    writeFileSync(join(userDir, 'grants', SESSION, 'x.json'), text);
    expect(await attempt(userDir, ['config', 'mode', 'auto'])).toBe(5);
  },
);
