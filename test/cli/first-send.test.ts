import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstSend } from '../../src/cli/first-send.ts';
import { watchSettings } from '../../src/cli/permission.ts';
import { boundsForHooks, readBounds } from '../../src/cli/read-bounds.ts';
import { readBounds as boundsKnownToHooks } from '../../src/notify/consent/bounds-file.ts';
import {
  type Destination,
  destinationsIn,
  rememberSent,
  sentFrom,
} from '../../src/notify/consent/first-send.ts';
import { GRANT_LIFE_MS, type Grant, typedGrant } from '../../src/notify/consent/grant.ts';
import { mint } from '../../src/notify/consent/grants.ts';
import { effectiveConfig } from '../../src/provider/effective-config.ts';
import { resolveModel } from '../../src/provider/resolve-model.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { contextOf } from './context.ts';

const PROFILES: Readonly<Record<string, object>> = {
  routed: { provider: 'openrouter', model: 'v/m', fallbacks: ['deepseek:deepseek-chat'] },
  lan: { provider: 'openai-compatible', model: 'm', baseUrl: 'https://llm.corp/v1', keyEnv: 'LAN_KEY' },
  moved: { provider: 'openai-compatible', model: 'm', baseUrl: 'https://llm.other/v1', keyEnv: 'LAN_KEY' },
  here: { provider: 'ollama', model: 'qwen3', fallbacks: ['lmstudio:m'] },
};
const KEYS = {
  OPENROUTER_API_KEY: 'sk-or-1234567890',
  DEEPSEEK_API_KEY: 'sk-ds-1234567890',
  LAN_KEY: 'k-123456',
};
const PERSON = { ...KEYS };
const MODEL = { ...KEYS, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };

function place() {
  const userDir = makeFolder();
  const home = join(makeFolder(), 'repo');
  mkdirSync(home);
  writeFileSync(
    join(userDir, 'config.yaml'),
    JSON.stringify({ defaultProfile: 'routed', profiles: PROFILES }),
  );
  const plan = (profile: string) => {
    const env = { ...KEYS, CC_DELEGATE_HOME: userDir, HOME: userDir };
    const { settings } = effectiveConfig({ env, projectRoot: null });
    const model = resolveModel({ profile }, settings, env, () => undefined);
    return {
      model,
      place: { home, repository: null, checkout: home, cwd: home, subdirectory: '', base: '' },
    };
  };
  const send = (
    profile: string,
    wanted: { env?: Record<string, string>; ask?: string; yes?: false | readonly Destination[] } = {},
  ) => {
    const { env = PERSON, ask, yes = false } = wanted;
    const consent = yes === false ? null : dialog(['start', 'fix'], yes);
    const context = contextOf({ cwd: home, userDir, args: ['fix'], env, consent });
    const asked: string[] = [];
    const answer =
      ask === undefined
        ? null
        : (question: string) => {
            asked.push(question);
            return Promise.resolve(ask);
          };
    return firstSend(context, 'start', plan(profile), answer).then((notices) => ({ notices, asked }));
  };
  return { userDir, home, send };
}

const A = { provider: 'openrouter', host: 'openrouter.ai' };
const B = { provider: 'deepseek', host: 'api.deepseek.com' };
const LAN = { provider: 'openai-compatible', host: 'llm.corp' };
const BOTH = [A, B];

function dialog(argv: readonly string[], to: readonly Destination[]): Grant {
  return { kind: 'dialog', argv, to, expiresAt: Date.now() + GRANT_LIFE_MS };
}

const NOTICE = 'the files the worker reads go to openrouter (openrouter.ai) and deepseek (api.deepseek.com)';

describe('the first job of a repository with a provider', () => {
  it('asks a person at a terminal, once, and makes nothing on a no', async () => {
    const { userDir, home, send } = place();
    for (const no of ['', 'n', 'no', 'yep?']) {
      expect(await refusal(() => send('routed', { ask: no })), no).toMatchObject({
        exit: 5,
        code: 'not_sent',
      });
    }
    expect(existsSync(join(userDir, 'sent'))).toBe(false);
    const first = await send('routed', { ask: ' Yes ' });
    expect(first.asked).toEqual([expect.stringContaining(`${NOTICE.replace('the', 'The')}.`)]);
    expect(first.notices).toEqual([]);
    expect(await send('routed', { ask: 'n' })).toEqual({ notices: [], asked: [] });
    expect(sentFrom(userDir, home).map(({ provider, asked }) => [provider, asked])).toEqual([
      ['openrouter', true],
      ['deepseek', true],
    ]);
  });

  it('is told to a script, once; another provider or host is told again', async () => {
    const { send } = place();
    expect((await send('routed')).notices).toEqual([NOTICE]);
    expect((await send('routed')).notices).toEqual([]);
    expect((await send('lan')).notices).toEqual([
      'the files the worker reads go to openai-compatible (llm.corp)',
    ]);
    expect((await send('moved')).notices).toEqual([
      'the files the worker reads go to openai-compatible (llm.other)',
    ]);
    expect((await send('moved', { ask: 'n' })).asked).toEqual([]);
  });

  it('says nothing of models on this machine', async () => {
    const { userDir, send } = place();
    expect(await send('here', { ask: 'n' })).toEqual({ notices: [], asked: [] });
    expect(existsSync(join(userDir, 'sent'))).toBe(false);
  });

  it('is never refused to a model; what nobody was asked is asked later', async () => {
    const { userDir, home, send } = place();
    expect((await send('routed', { env: MODEL, ask: 'n' })).notices).toEqual([NOTICE]);
    expect((await send('routed', { env: MODEL })).notices).toEqual([]);
    expect(sentFrom(userDir, home).every(({ asked }) => !asked)).toBe(true);
    expect((await send('routed', { ask: 'y' })).asked).toHaveLength(1);
  });

  it('is agreed to by the yes in the client’s dialog, whatever else it was for', async () => {
    const one = place();
    expect((await one.send('routed', { env: MODEL, yes: BOTH })).notices).toEqual([]);
    expect(sentFrom(one.userDir, one.home).every(({ asked }) => asked)).toBe(true);
    const two = place();
    mint(two.userDir, 's1', dialog(['start', 'fix'], BOTH));
    expect((await two.send('routed', { env: MODEL })).notices).toEqual([]);
    expect(sentFrom(two.userDir, two.home).every(({ asked }) => asked)).toBe(true);
    const three = place();
    mint(three.userDir, 's1', dialog(['start', 'other'], BOTH));
    expect((await three.send('routed', { env: MODEL })).notices).toEqual([NOTICE]);
  });

  it('is no more agreed to than the dialog named', async () => {
    const { userDir, home, send } = place();
    const first = await send('routed', { env: MODEL, yes: [A, { ...B, host: 'other.example' }] });
    expect(first.notices).toEqual(['the files the worker reads go to deepseek (api.deepseek.com)']);
    expect(sentFrom(userDir, home).map(({ provider, asked }) => [provider, asked])).toEqual([
      ['openrouter', true],
      ['deepseek', false],
    ]);
    const typed = place();
    const grant = typedGrant('delegate', 'fix the bug', Date.now());
    if (grant !== null) mint(typed.userDir, 's1', grant);
    expect((await typed.send('routed', { env: MODEL })).notices).toEqual([NOTICE]);
    expect(sentFrom(typed.userDir, typed.home).every(({ asked }) => !asked)).toBe(true);
    expect((await typed.send('routed', { env: MODEL })).notices).toEqual([]);
  });

  it('goes on where it cannot be remembered', async () => {
    const { userDir, home, send } = place();
    writeFileSync(join(userDir, 'sent'), 'in the way');
    expect((await send('routed')).notices).toEqual([NOTICE]);
    expect(() => rememberSent(userDir, home, { destinations: [], asked: true, now: 0 })).toThrow();
  });

  it.each([
    ['--profile lan', [LAN]],
    ['--profile=here', []],
    ['--profile nobody', []],
    ['--model deepseek:deepseek-chat', [B]],
    ['--model openrouter:a/b', [A]],
    ['--model lan:m', [LAN]],
    ['--model constructor:m', []],
    ['', BOTH],
  ])('is known to the hooks by what the call names: %s', (words, to) => {
    const { userDir } = place();
    const bounds = boundsForHooks({ ...KEYS, CC_DELEGATE_HOME: userDir });
    if (bounds === null) throw new Error('no bounds');
    expect(destinationsIn(['start', 'fix', ...words.split(' ')], bounds)).toEqual(to);
  });

  it('is known to the hooks where only the environment has a key, until it has none', async () => {
    const userDir = join(makeFolder(), 'own');
    const env = { CC_DELEGATE_HOME: userDir, HOME: makeFolder() };
    await watchSettings('auth', env)();
    expect(existsSync(userDir)).toBe(false);
    await watchSettings('auth', { ...env, DEEPSEEK_API_KEY: KEYS.DEEPSEEK_API_KEY })();
    expect(boundsKnownToHooks(userDir)?.sendsTo).toEqual([B]);
    await watchSettings('start', env)();
    expect(boundsKnownToHooks(userDir)?.sendsTo).toEqual([]);
  });

  it('is known to the hooks by the default profile and its fallbacks', () => {
    const { userDir } = place();
    expect(readBounds({ ...KEYS, CC_DELEGATE_HOME: userDir })?.sendsTo).toEqual([
      { provider: 'openrouter', host: 'openrouter.ai' },
      { provider: 'deepseek', host: 'api.deepseek.com' },
    ]);
    writeFileSync(join(userDir, 'config.yaml'), JSON.stringify({ profiles: { here: PROFILES.here } }));
    expect(readBounds({ CC_DELEGATE_HOME: userDir })?.sendsTo).toEqual([]);
  });
});
