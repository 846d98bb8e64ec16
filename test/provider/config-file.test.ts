import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  configPath,
  configSet,
  configUnset,
  expandHome,
  readConfig,
} from '../../src/provider/config-file.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from './user-error-of.ts';

function home(text?: string): { env: Record<string, string>; file: string; read: () => string } {
  const folder = makeFolder();
  const env = { CC_DELEGATE_HOME: folder, HOME: '/home/someone' };
  const file = join(folder, 'config.yaml');
  if (text !== undefined) writeFileSync(file, text);
  return { env, file, read: () => readFileSync(file, 'utf8') };
}

const CHEAP = 'profiles:\n  cheap:\n    provider: openrouter\n    model: vendor/model\n';

describe('reading the configuration', () => {
  it('gives nothing when there is no file, and makes none', () => {
    const { env, file } = home();
    expect(readConfig(env)).toEqual({});
    expect(existsSync(file)).toBe(false);
  });

  it.each(['', '\n', '# only a comment\n', '---\n', '\ufeffmode: auto\n'])(
    'takes an empty or unusual file: %j',
    (text) => {
      const { env } = home(text);
      expect(readConfig(env)).toEqual(text.includes('auto') ? { mode: 'auto' } : {});
    },
  );

  it('sees a change at the next call', () => {
    const { env, file } = home('mode: auto\n');
    expect(readConfig(env).mode).toBe('auto');
    writeFileSync(file, 'mode: off\n');
    expect(readConfig(env).mode).toBe('off');
  });

  it('expands ~ in paths and reads durations with a unit', () => {
    const { env } = home('addDirs: [~/lib, "~", /opt/x]\nlimits: {timeout: 30m, stallTimeout: 45}\n');
    const config = readConfig(env);
    expect(config.addDirs).toEqual(['/home/someone/lib', '/home/someone', '/opt/x']);
    expect(config.limits).toMatchObject({ timeout: 1800, stallTimeout: 45 });
    expect(expandHome('a~/b', env)).toBe('a~/b');
  });

  it.each([
    ['mode: sometimes', 'mode', '"sometimes"', 'one of off, ondemand, auto'],
    ['budget: {perJob: -1}', 'budget.perJob', '-1', 'a number of at least 0'],
    ['budget: {perJob: .inf}', 'budget.perJob', 'null', 'a number'],
    ['budget: 5', 'budget', '5', 'a group of keys'],
    ['limits: {maxSteps: 1.5}', 'limits.maxSteps', '1.5', 'a whole number'],
    ['limits: {timeout: soon}', 'limits.timeout', '"soon"', '30m'],
    ['sandbox: {allowUnsandboxed: "yes"}', 'sandbox.allowUnsandboxed', '"yes"', 'true or false'],
    ['allowedModels: 3', 'allowedModels', '3', 'one of all, or a list'],
    ['allowedModels: [""]', 'allowedModels.0', '""', 'without spaces'],
    ['addDirs: [../x]', 'addDirs.0', '"../x"', 'an absolute path'],
    ['env: {pass: [A-B]}', 'env.pass.0', '"A-B"', 'environment variable'],
    ['profiles: {x: {provider: nobody, model: m}}', 'profiles.x.provider', '"nobody"', 'openrouter'],
    ['profiles: {"a b": {provider: openrouter}}', 'profiles.a b', '', 'letters, digits'],
    ['profiles: {x: {provider: azure}}', 'profiles.x.model', 'is not set', "the model's name"],
    [
      'profiles: {x: {provider: openai, model: minimax:m}}',
      'profiles.x.model',
      'minimax:m',
      "the model's name",
    ],
    ['profiles: {x: {provider: openai-compatible, model: m}}', 'profiles.x.baseUrl', 'is not set', 'URL'],
    ['profiles: {x: {provider: openai, model: m, api: google}}', 'profiles.x.api', '"google"', 'openai-chat'],
    ['profiles: {x: {provider: openai, model: m, api: soap}}', 'profiles.x.api', '"soap"', 'anthropic'],
    [
      'profiles: {x: {provider: openai, model: m, prices: {input: 1}}}',
      'profiles.x.prices',
      '',
      'both input and output',
    ],
    [
      'profiles: {x: {provider: openai, model: m, prices: {input: 1, output: -1}}}',
      'profiles.x.prices.output',
      '-1',
      'at least 0',
    ],
    [
      'profiles: {x: {provider: openai, model: m, keyEnv: ANTHROPIC_API_KEY}}',
      'profiles.x.keyEnv',
      'hidden',
      'openai',
    ],
  ])('refuses %s with key, value and what is valid', async (text, key, value, valid) => {
    const { env } = home(`${text}\n`);
    const error = await refusal(() => readConfig(env));
    expect(error).toMatchObject({ code: 'invalid_config', exit: 2 });
    expect(error.what).toContain(key);
    expect(error.value).toContain(value);
    expect(error.remedy).toContain(valid);
  });

  it.each([
    [
      'sk-secret-in-the-name-field',
      'profiles: {x: {provider: openai, model: m, keyEnv: "sk-secret-in-the-name-field!"}}',
    ],
    ['hunter2', 'profiles: {x: {provider: openai, model: m, baseUrl: "https://u:hunter2@h/v1"}}'],
    ['hunter2', 'profiles: {x: {provider: openai, model: m, baseUrl: "https://h/v1?key=hunter2"}}'],
    ['hunter2', 'profiles: {x: {provider: openai, model: m, headers: {A: "hunter2\\n"}}}'],
    ['hunter2', 'key: hunter2\n  b: [hunter2'],
  ])('does not repeat a secret (%s) in what it says of a bad value', async (secret, text) => {
    const { env } = home(`${text}\n`);
    const error = await refusal(() => readConfig(env));
    expect(JSON.stringify(error)).not.toContain(secret);
  });

  it.each([
    ['mode: [auto\nbudget: 1\n', ':2:1'],
    ['a: 1\na: 2\n', ':2:1'],
    ['a: *nowhere\n', 'config.yaml'],
    ['- a\n- b\n', ':1:1'],
    ['just text\n', ':1:1'],
    ['a: 1\n---\nb: 2\n', 'config.yaml'],
  ])('says where %j is not valid, and does not touch it', async (text, where) => {
    const { env, file, read } = home(text);
    for (const act of [
      () => readConfig(env),
      () => configSet(env, 'mode', 'auto'),
      () => configUnset(env, 'a'),
    ]) {
      const error = await refusal(act);
      expect(error).toMatchObject({ code: 'corrupt_file', exit: 6 });
      expect(error.value).toContain(file);
      expect(error.value).toContain(where);
    }
    expect(read()).toBe(text);
  });

  it('refuses an alias bomb instead of building it', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    const { env } = home(`${lines.join('\n')}\n`);
    expect(await refusal(() => readConfig(env))).toMatchObject({ code: 'corrupt_file' });
  });
});

describe('changing the configuration', () => {
  it('keeps comments, order and keys it does not know', async () => {
    const before = `# mine\nmode: auto # because\n\n# money\nbudget:\n  perJob: 3 # dollars\nfuture: {keep: [me, 1]}\n${CHEAP}`;
    const { env, read } = home(before);
    await configSet(env, 'budget.perJob', '4');
    await configSet(env, 'limits.maxSteps', '7');
    const text = read();
    for (const part of ['# mine', '# because', '# money', '# dollars', 'keep: [me, 1]', 'perJob: 4']) {
      expect(text).toContain(part);
    }
    expect(text.indexOf('mode:')).toBeLessThan(text.indexOf('budget:'));
    expect(readConfig(env)).toMatchObject({ future: { keep: ['me', 1] }, limits: { maxSteps: 7 } });
  });

  it('takes "none" for a cap that is not wanted, and only there', async () => {
    const { env, read } = home('budget: {perDay: 3}\n');
    await configSet(env, 'budget.perDay', 'none');
    await configSet(env, 'budget.perRepository', 'none');
    expect(readConfig(env).budget).toEqual({ perDay: null, perRepository: null });
    // And what it has written it reads back before the next change.
    await configSet(env, 'budget.perRepository', '30');
    expect(readConfig(env).budget).toEqual({ perDay: null, perRepository: 30 });
    expect(read()).toContain('perDay: none');
    expect(await refusal(() => configSet(env, 'budget.perJob', 'none'))).toMatchObject({ exit: 2 });
    expect(await refusal(() => configSet(env, 'budget.perDay', 'much'))).toMatchObject({
      exit: 2,
      remedy: expect.stringContaining('none'),
    });
  });

  it('keeps the comment at the top when the first key goes', async () => {
    const { env, read } = home('# mine\nmode: auto\nbudget: {perJob: 1}\n');
    await configUnset(env, 'mode');
    expect(read()).toContain('# mine');
    expect(readConfig(env).mode).toBeUndefined();
  });

  it('makes file and folder for the user alone, and leaves no other file behind', async () => {
    const env = { CC_DELEGATE_HOME: join(makeFolder(), 'new'), HOME: '/home/someone' };
    await configSet(env, 'mode', 'off');
    expect(statSync(configPath(env)).mode & 0o777).toBe(0o600);
    expect(statSync(env.CC_DELEGATE_HOME).mode & 0o777).toBe(0o700);
    expect(readConfig(env).mode).toBe('off');
  });

  it.each([
    ['addDirs', '/opt/a', ['/opt/a']],
    ['addDirs', '[/opt/a, ~/b]', ['/opt/a', '/home/someone/b']],
    ['allowedModels', 'all', 'all'],
    ['supervisorModel', '4711', '4711'],
    ['supervisorModel', 'a: [b', undefined],
    ['budget.perJob', '0', undefined],
  ])('reads the typed value for %s as it is meant: %s', async (key, text, expected) => {
    const { env } = home();
    if (expected === undefined && key === 'supervisorModel') {
      expect(await refusal(() => configSet(env, key, text))).toMatchObject({ exit: 2 });
      return;
    }
    await configSet(env, key, text);
    const config = readConfig(env);
    if (key === 'budget.perJob') expect(config.budget?.perJob).toBe(0);
    else expect(Reflect.get(config, key)).toEqual(expected);
  });

  it.each([
    ['colour', 'blue', 'mode'],
    ['budget.perjob', '3', 'budget.perJob'],
    ['limits.timeout.x', '3', 'limits.timeout'],
    ['profiles.cheap.apiKey', 'sk-very-secret', 'config key set'],
    ['__proto__.x', '1', 'mode'],
  ])('refuses the unknown key %s and names what there is', async (key, value, remedy) => {
    const { env, file } = home();
    const error = await refusal(() => configSet(env, key, value));
    expect(error).toMatchObject({ code: 'unknown_key', exit: 2, value: key });
    expect(error.remedy).toContain(remedy);
    expect(error.message).not.toContain('sk-very-secret');
    expect(existsSync(file)).toBe(false);
  });

  it('refuses an invalid value and leaves the file as it was', async () => {
    const { env, read } = home('mode: auto # why\n');
    expect(await refusal(() => configSet(env, 'mode', 'sometimes'))).toMatchObject({ exit: 2 });
    expect(read()).toBe('mode: auto # why\n');
  });

  it('can repair a value that is not valid', async () => {
    const { env } = home('mode: sometimes\n');
    await configSet(env, 'mode', 'auto');
    expect(readConfig(env).mode).toBe('auto');
  });

  it.each([
    ['defaultProfile', 'nobody', 'cheap'],
    ['graderProfile', 'nobody', 'cheap'],
    ['allowedModels', '[openai:gpt]', 'openrouter:vendor/model'],
    ['profiles.cheap.fallbacks', '[opnrouter:x/y]', 'openai-compatible'],
  ])('refuses %s = %s, which does not fit the rest', async (key, value, remedy) => {
    const { env, read } = home(`defaultProfile: cheap\n${CHEAP}`);
    const before = read();
    const error = await refusal(() => configSet(env, key, value));
    expect(error.exit).toBe(2);
    expect(error.remedy).toContain(remedy);
    expect(read()).toBe(before);
  });

  it('refuses to unset what is not set', async () => {
    const { env } = home('mode: auto\n');
    expect(await refusal(() => configUnset(env, 'budget.perJob'))).toMatchObject({
      code: 'not_set',
      exit: 2,
    });
  });

  it('replaces the target of a symbolic link and keeps the link', async () => {
    const { env, file } = home();
    const dotfiles = makeFolder();
    writeFileSync(join(dotfiles, 'delegate.yaml'), 'mode: auto\n');
    symlinkSync(join(dotfiles, 'delegate.yaml'), file);
    await configSet(env, 'mode', 'off');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(dotfiles, 'delegate.yaml'), 'utf8')).toBe('mode: off\n');
  });

  it('loses none of many changes at once', async () => {
    const { env } = home();
    const keys = [
      'maxSteps',
      'maxGrades',
      'maxTokens',
      'timeout',
      'stallTimeout',
      'askTimeout',
      'commandTimeout',
    ];
    await Promise.all(keys.map((key, index) => configSet(env, `limits.${key}`, String(index + 1))));
    expect(readConfig(env).limits).toEqual(Object.fromEntries(keys.map((key, index) => [key, index + 1])));
  });
});
