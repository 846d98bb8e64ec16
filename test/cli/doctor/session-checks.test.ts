import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readStatus } from '../../../src/cli/auth/status.ts';
import { addRules } from '../../../src/cli/claude-settings/allow-rules.ts';
import { installStatusLine } from '../../../src/cli/claude-settings/status-line.ts';
import { profileChecks, sessionChecks } from '../../../src/cli/doctor/session-checks.ts';
import { rungOf } from '../../../src/cli/doctor/wake-up.ts';
import { verb as doctor } from '../../../src/cli/doctor.ts';
import { makeBell } from '../../../src/notify/bell.ts';
import { saveSession } from '../../../src/notify/sessions.ts';
import { isAtLeast, versionIn } from '../../../src/provider/claude-client.ts';
import { setKey } from '../../../src/provider/credentials.ts';
import { identify } from '../../../src/store/liveness.ts';
import { makeFolder } from '../../helpers/repository.ts';

const PLUGIN = fileURLToPath(new URL('../../..', import.meta.url));
const SESSION = '11111111-2222-3333-4444-555555555555';

function machine(client: string | null, variables: Record<string, string> = {}) {
  const home = makeFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  mkdirSync(join(home, '.claude'));
  if (client !== null) {
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho '${client}'\n`);
    chmodSync(join(bin, 'claude'), 0o755);
  }
  const userDir = join(home, '.cc-delegate');
  const env = { HOME: home, CC_DELEGATE_HOME: userDir, PATH: bin, ...variables };
  const context = {
    args: [],
    cwd: home,
    env,
    json: false,
    program: join(PLUGIN, 'dist'),
    consent: null,
    stdin: process.stdin,
    stderr: () => undefined,
    stdout: () => undefined,
  };
  const of = async () =>
    Object.fromEntries((await sessionChecks(context)).map((check) => [check.name, check] as const));
  return { env, userDir, context, of };
}

describe('what a session has of us', () => {
  it('is told in full where everything is there', async () => {
    const { env, userDir, of } = machine('2.1.332 (Claude Code)', { CLAUDE_CODE_SESSION_ID: SESSION });
    const startedAt = new Date().toISOString();
    saveSession(userDir, {
      sessionId: SESSION,
      ...identify(),
      cwd: '/',
      repo: null,
      startedAt,
      endedAt: null,
    });
    makeBell(userDir, SESSION);
    await installStatusLine(env, PLUGIN, 'echo mine');
    await addRules(env);
    const checks = await of();
    expect(Object.values(checks).map(({ ok, note }) => [ok, note])).toEqual(Array(5).fill([true, false]));
    expect(checks.client?.text).toBe('Claude Code 2.1.332');
    expect(checks['wake-up']?.text).toContain('bell');
    expect(checks['status line']?.text).toContain('echo mine');
  });

  it('is noted with its remedy where it is missing, and never counts as broken', async () => {
    const { of } = machine(null, { CLAUDE_CODE_SESSION_ID: SESSION });
    const checks = await of();
    for (const each of Object.values(checks)) {
      expect(each).toMatchObject({ ok: true, note: true, remedy: expect.stringMatching(/\w/) });
    }
    expect(checks['wake-up']?.text).toContain('background wait');
  });

  it.each([
    ['2.1.142 (Claude Code)', 'too old'],
    ['something else', 'does not say its version'],
  ])('a client that says %s', async (said, text) => {
    expect((await machine(said).of()).client?.text).toContain(text);
  });

  it('names a profile without a key, and settings that are broken', async () => {
    const { userDir, context, env, of } = machine(null);
    expect(await profileChecks(context)).toEqual([]);
    mkdirSync(userDir);
    const profiles =
      'profiles:\n  cheap: {provider: openrouter, model: a/b}\n  lan: {provider: ollama, model: q}\n';
    writeFileSync(join(userDir, 'config.yaml'), profiles);
    expect(await profileChecks(context)).toMatchObject([
      { name: 'profile cheap', note: true, remedy: expect.stringContaining('config key set cheap') },
      { name: 'profile lan', note: false },
    ]);
    writeFileSync(join(userDir, 'config.yaml'), 'profiles: [');
    expect(await profileChecks(context)).toMatchObject([{ name: 'profiles', ok: false }]);
    writeFileSync(join(env.HOME, '.claude/settings.json'), '{');
    expect((await of())['status line']).toMatchObject({
      ok: false,
      text: expect.stringContaining('settings.json'),
    });
  });
});

describe('the rung that holds', () => {
  const session = { inSession: true, hasBell: true, isAttended: true, hasBackground: true };
  it.each([
    [session, 'bell'],
    [{ ...session, hasBell: false }, 'background wait'],
    [{ ...session, isAttended: false }, 'background wait'],
    [{ ...session, hasBell: false, hasBackground: false }, 'status'],
    [{ ...session, inSession: false }, 'terminal'],
  ] as const)('%j: %s', (facts, rung) => {
    expect(rungOf(facts)).toBe(rung);
  });
});

describe('versions', () => {
  it.each([
    ['2.1.143', true],
    ['2.1.142', false],
    ['2.2.0', true],
    ['10.0.0', true],
    ['1.99.999', false],
  ])('%s is new enough: %s', (version, enough) => {
    expect(isAtLeast(version, '2.1.143')).toBe(enough);
  });

  it('are found in what the client prints', () => {
    expect(versionIn('2.1.332 (Claude Code)\n')).toBe('2.1.332');
    expect(versionIn('Claude')).toBeNull();
  });
});

describe('the access of a profile', () => {
  const AZURE = { provider: 'azure', model: 'm' };
  const RESOURCE = { AZURE_RESOURCE_NAME: 'res' };

  it.each([
    ['a key is there', { provider: 'deepseek', model: 'm' }, { DEEPSEEK_API_KEY: 'k' }, null, 'key found'],
    ['it has none', { provider: 'deepseek', model: 'm' }, {}, 'cc-delegate config key set p', 'no key'],
    [
      'it is no login yet',
      { provider: 'copilot', model: 'm' },
      {},
      'cc-delegate auth login p',
      'not logged in',
    ],
    [
      'its cloud has a key and no place',
      AZURE,
      { AZURE_API_KEY: 'k' },
      'set AZURE_RESOURCE_NAME',
      'not all it',
    ],
    ['its cloud has a place and no key', AZURE, RESOURCE, 'set AZURE_API_KEY', 'not all it'],
    ['its cloud has both', AZURE, { ...RESOURCE, AZURE_API_KEY: 'k' }, null, 'key found'],
  ])('is told when %s, as auth status tells it', async (_case, profile, variables, remedy, text) => {
    const { context, userDir } = machine(null, variables);
    mkdirSync(userDir, { mode: 0o700 });
    writeFileSync(join(userDir, 'config.yaml'), JSON.stringify({ profiles: { p: profile } }));
    const [found] = await profileChecks(context);
    const [access] = await readStatus(context, false);
    expect(found?.text).toContain(text);
    expect([access?.name, access?.state === 'missing']).toEqual(['p', remedy !== null]);
    for (const said of [found?.remedy ?? null, access?.remedy ?? null]) {
      expect(said).toEqual(remedy === null ? null : expect.stringContaining(remedy));
    }
  });

  it('is the older variables’ while there is no profile', async () => {
    const older = { DELEGATE_MODEL: 'litellm:deepseek/deepseek-chat', DELEGATE_API_KEY: 'k' };
    const { context, userDir } = machine(null, older);
    const wanted = { name: 'deepseek', how: 'DELEGATE_API_KEY', state: 'present' };
    expect(await readStatus(context, false)).toMatchObject([wanted]);
    mkdirSync(userDir, { mode: 0o700 });
    writeFileSync(join(userDir, 'config.yaml'), '{profiles: {p: {provider: deepseek, model: m}}}');
    expect(await readStatus(context, false)).toMatchObject([{ name: 'p', state: 'missing' }]);
  });

  it('is named by where the key of the default model is saved', async () => {
    const { context } = machine(null, { DEEPSEEK_API_KEY: 'k' });
    const owner = { kind: 'provider', name: 'deepseek' } as const;
    await setKey(
      context.env,
      owner,
      { key: 'k', provider: 'deepseek', host: 'api.deepseek.com' },
      () => undefined,
    );
    const { json } = await doctor.run(context);
    const { checks } = json as { checks: { name: string; text: string }[] };
    const text = checks.find(({ name }) => name === 'model')?.text;
    expect(text).toContain('key found (saved for provider deepseek)');
  });
});
