import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/config/run.ts';
import { effectiveConfig } from '../../../src/provider/effective-config.ts';
import { resolveModel } from '../../../src/provider/resolve-model.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { refusal } from '../../provider/user-error-of.ts';

const KEY = 'sk-older-0123456789abcdef';

const CONFIG = {
  profiles: {
    cheap: {
      model: 'litellm:minimax/MiniMax-M3',
      api_key_env_var: 'MINIMAX_API_KEY',
      fallback_models: ['litellm:openrouter/qwen/qwen3-coder', 'litellm:nosuch/llama'],
    },
    own: {
      model: 'litellm:openai/my-model',
      api_base: 'https://models.example/v1',
      api_key_env_var: 'OWN_KEY',
    },
    odd: { model: 'litellm:nosuch/llama', api_key_env_var: 'ODD_KEY' },
    copilot: { model: 'litellm:github_copilot/gpt' },
    typed: { model: 'qwen3:8b', provider: 'ollama', temperature: 1 },
  },
  default_profile: 'own',
  dashboard_port: 8080,
};
const CREDENTIALS = { MINIMAX_API_KEY: KEY, OWN_KEY: `${KEY}-own`, ODD_KEY: 'odd-key' };

function terminal(folder?: string) {
  const home = makeFolder();
  const older = folder ?? home;
  mkdirSync(older, { recursive: true });
  const files = [join(older, 'config.json'), join(older, 'credentials.json')] as const;
  writeFileSync(files[0], JSON.stringify(CONFIG, null, 2), { mode: 0o600 });
  writeFileSync(files[1], JSON.stringify(CREDENTIALS, null, 2), { mode: 0o600 });
  const env = { CC_DELEGATE_HOME: home, HOME: '/home/someone' };
  return {
    home,
    env,
    originals: () => files.map((file) => readFileSync(file, 'utf8')),
    yaml: () => readFileSync(join(home, 'config.yaml'), 'utf8'),
    config: (...args: string[]) =>
      run({ args, cwd: home, env, stdin: process.stdin, stderr: () => undefined, json: false }),
    keyOf: (profile: string) =>
      resolveModel({ profile }, effectiveConfig({ env, projectRoot: null }).settings, env, () => undefined)
        .primary.key,
  };
}

describe('config import', () => {
  it.each([
    ['our own folder', false],
    ['another folder', true],
  ])('takes profiles and keys from %s, and leaves the originals as they are', async (_name, isOther) => {
    const folder = isOther ? join(makeFolder(), 'older') : undefined;
    const { config, originals, yaml, keyOf } = terminal(folder);
    const before = originals();
    const { json, text } = await config('import', ...(folder === undefined ? [] : [folder]));
    expect(originals()).toEqual(before);
    expect(json).toMatchObject({ profiles: ['cheap', 'own', 'copilot', 'typed'] });
    expect(yaml()).toContain('defaultProfile: own');
    expect((await config('profile', 'list')).json).toMatchObject({
      profiles: [
        {
          name: 'cheap',
          provider: 'minimax',
          model: 'MiniMax-M3',
          fallbacks: ['openrouter:qwen/qwen3-coder'],
          key: { found: true },
        },
        {
          name: 'own',
          provider: 'openai-compatible',
          model: 'my-model',
          baseUrl: 'https://models.example/v1',
          isDefault: true,
          key: { found: true },
        },
        { name: 'copilot', provider: 'copilot', model: 'gpt' },
        { name: 'typed', provider: 'ollama', model: 'qwen3:8b' },
      ],
    });
    expect([keyOf('cheap'), keyOf('own')]).toEqual([KEY, `${KEY}-own`]);
    for (const said of [
      'odd: left out',
      'temperature is not known',
      'dashboard_port',
      'litellm:nosuch/llama',
    ]) {
      expect(text).toContain(said);
    }
    expect(`${text}${JSON.stringify(json)}${yaml()}`).not.toContain(KEY);
  });

  it('keeps profiles that are there, unless it is forced', async () => {
    const { config, yaml } = terminal();
    await config('profile', 'set', 'cheap', '--provider', 'openrouter', '--model', 'a/b');
    expect((await config('import')).json).toMatchObject({
      kept: ['cheap'],
      profiles: ['own', 'copilot', 'typed'],
    });
    expect(yaml()).toMatch(/defaultProfile: cheap/);
    expect(yaml()).toContain('a/b');
    await config('import', '--force');
    expect(yaml()).not.toContain('a/b');
  });

  it('goes on past a key that cannot be saved, and takes those of profiles that are there without one', async () => {
    const folder = join(makeFolder(), 'older');
    const { config, keyOf } = terminal(folder);
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({
        profiles: {
          bad: { model: 'litellm:deepseek/chat', api_key: 'two\nlines' },
          good: { model: 'litellm:deepseek/chat', api_key: `${KEY}-good` },
          there: { model: 'litellm:deepseek/chat', api_key: `${KEY}-there` },
        },
      }),
    );
    await config('profile', 'set', 'there', '--provider', 'deepseek', '--model', 'chat');
    const { json, text } = await config('import', folder);
    expect(json).toMatchObject({ profiles: ['bad', 'good'], kept: ['there'], keys: ['good', 'there'] });
    expect(text).toMatch(/^bad: its key was not saved: /m);
    expect(text).not.toContain('two');
    expect([keyOf('good'), keyOf('there')]).toEqual([`${KEY}-good`, `${KEY}-there`]);
    expect((await config('import', folder)).json).toMatchObject({ keys: [] });
  });

  it('takes no key for a profile of the same name that is for another provider', async () => {
    const folder = join(makeFolder(), 'older');
    const { config } = terminal(folder);
    await config('profile', 'set', 'cheap', '--provider', 'deepseek', '--model', 'chat');
    expect((await config('import', folder)).json).toMatchObject({ kept: ['cheap'], keys: ['own'] });
  });

  it('only says what it would do with --dry-run', async () => {
    const { config, home } = terminal();
    expect((await config('import', '--dry-run')).text).toContain('would take cheap');
    expect(() => readFileSync(join(home, 'config.yaml'))).toThrow();
  });

  it('goes on working beside keys of our own, which do not take the older ones away', async () => {
    const { config, originals, keyOf, env } = terminal();
    await config('import');
    const { setKey } = await import('../../../src/provider/credentials.ts');
    await setKey(
      env,
      { kind: 'provider', name: 'minimax' },
      { key: 'sk-new', provider: 'minimax', host: 'api.minimax.io' },
      () => undefined,
    );
    expect(JSON.parse(originals()[1] ?? '')).toMatchObject(CREDENTIALS);
    expect(keyOf('cheap')).toBe('sk-new');
    expect(keyOf('own')).toBe(`${KEY}-own`);
  });

  it.each([
    ['no file', null],
    ['no JSON', '{'],
    ['another form', '{"profiles": [1]}'],
  ])('refuses %s, with the way on', async (_name, text) => {
    const { config, home } = terminal();
    const folder = join(home, 'sub');
    mkdirSync(folder);
    if (text !== null) writeFileSync(join(folder, 'config.json'), text);
    const { exit, message } = await refusal(() => config('import', folder));
    expect(exit).toBe(6);
    expect(message).toContain('config import DIR');
  });
});
