import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { addRules } from '../../../src/cli/claude-settings/allow-rules.ts';
import { installStatusLine } from '../../../src/cli/claude-settings/status-line.ts';
import { isAtLeast, versionIn } from '../../../src/cli/doctor/client-version.ts';
import { profileChecks, sessionChecks } from '../../../src/cli/doctor/session-checks.ts';
import { rungOf } from '../../../src/cli/doctor/wake-up.ts';
import { makeBell } from '../../../src/notify/bell.ts';
import { saveSession } from '../../../src/notify/sessions.ts';
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
