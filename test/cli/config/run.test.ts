import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/config/run.ts';
import { requirePermission } from '../../../src/cli/permission.ts';
import { needs } from '../../helpers/needs.ts';
import { makeFolder, makeRepository } from '../../helpers/repository.ts';
import { refusal } from '../../provider/user-error-of.ts';

const KEY = 'sk-test-0123456789abcdef';
const CHEAP = ['profile', 'set', 'cheap', '--provider', 'openrouter', '--model', 'vendor/model'];

function terminal(variables: Record<string, string> = {}, cwd = makeFolder()) {
  const home = makeFolder();
  const env = { CC_DELEGATE_HOME: home, HOME: '/home/someone', ...variables };
  const errors: string[] = [];
  return {
    home,
    env,
    errors,
    file: join(home, 'config.yaml'),
    yaml: () => readFileSync(join(home, 'config.yaml'), 'utf8'),
    config: async (...args: string[]) => {
      await requirePermission(['config', ...args], env);
      return run({
        args,
        cwd,
        env,
        stdin: process.stdin,
        stderr: (line) => void errors.push(line),
        json: false,
      });
    },
  };
}

describe('what is typed', () => {
  it('may be a negative number, which is then refused for what it is', async () => {
    const { config } = terminal();
    const { message, exit } = await refusal(() => config('set', 'budget.perDay', '-1'));
    expect(exit).toBe(2);
    expect(message).toMatch(/budget\.perDay is not valid/);
  });

  it('is told how a profile is put right by the command that sets profiles', async () => {
    const { config } = terminal();
    const set = () => config('profile', 'set', 'x', '--provider', 'openai-compatible', '--model', 'm');
    const { remedy } = await refusal(set);
    expect(remedy).toContain('cc-delegate config profile set x …');
    expect(remedy).not.toContain('config set profiles');
  });

  it.each(['copilot', 'chatgpt'])('gives a login no address of its own: %s', async (provider) => {
    const { config } = terminal();
    const own = ['profile', 'set', 'x', '--provider', provider, '--model', 'm'];
    const { exit, message } = await refusal(() => config(...own, '--base-url', 'https://other.example'));
    expect([exit, message]).toEqual([2, expect.stringContaining('its own address alone')]);
    expect((await config(...own)).exit).toBe(0);
  });

  it('is told that a cloud’s key is saved for a profile', async () => {
    const { config } = terminal();
    const { what, remedy } = await refusal(() => config('key', 'set', 'azure'));
    expect(what).toContain('has no address of its own');
    expect(remedy).toMatch(/profile set NAME --provider azure .*AZURE_API_KEY/);
  });
});

describe('config show', () => {
  it('says which model the older variables choose, until there is a profile', async () => {
    const { config } = terminal({ DELEGATE_MODEL: 'litellm:deepseek/deepseek-chat' });
    const said = expect.stringContaining('the model is deepseek:deepseek-chat, from DELEGATE_MODEL');
    expect((await config('show')).json).toMatchObject({ warnings: [said] });
    await config(...CHEAP);
    expect((await config('show')).json).toMatchObject({ warnings: [] });
  });

  it('names unknown keys on one line, whatever they hold', async () => {
    const { config, file } = terminal();
    writeFileSync(file, '"a\\nb": 1\nc: 1\n', { mode: 0o600 });
    expect((await config('show')).json).toMatchObject({
      warnings: ['config.yaml: "a b", "c" are no settings of this version; they are kept'],
    });
  });

  it('says of every value where it comes from, masks secrets, and fits 80 columns', async () => {
    const repository = makeRepository({ 'cc-delegate.yaml': 'test: npm test\nmodel: evil\n' });
    const { config, errors } = terminal({ OPENROUTER_API_KEY: KEY }, repository);
    await config('set', 'budget.perJob', '3');
    await config(
      ...CHEAP,
      '--header',
      'X-Secret=hunter2',
      '--fallback',
      'a-very-long-vendor-name/with-a-very-long-model-name',
      '--price-input',
      '0',
      '--price-output',
      '0',
    );
    const { text, json, exit } = await config('show');
    expect(exit).toBe(0);
    expect(json).toMatchObject({
      settings: {
        'budget.perJob': { value: 3, origin: 'user' },
        'limits.maxSteps': { value: 400, origin: 'default' },
        test: { value: 'npm test', origin: 'project' },
      },
      profiles: [
        {
          name: 'cheap',
          isDefault: true,
          key: { found: true, source: 'environment OPENROUTER_API_KEY', masked: '…cdef' },
          headers: ['X-Secret'],
        },
      ],
    });
    expect(text).toMatch(/budget\.perJob +3 +user/);
    expect(text).toContain('* cheap · openrouter:vendor/model');
    expect(text).toContain('free');
    for (const line of text.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(80);
    expect(`${text}${JSON.stringify(json)}`).not.toMatch(/hunter2|0123456789/);
    expect(errors.join('\n')).toContain('"model" is ignored');
  });

  it('names settings it does not know and changes nothing', async () => {
    const { config, errors, file, yaml } = terminal();
    writeFileSync(file, 'colour: blue\n');
    await config('show');
    expect(errors.join()).toContain('"colour"');
    expect(yaml()).toBe('colour: blue\n');
  });
});

describe('config profile', () => {
  it('makes the first one the default, and leaves it the default', async () => {
    const { config, yaml } = terminal();
    expect((await config(...CHEAP)).text).toContain('is the default');
    await config('profile', 'set', 'lan', '--model', 'ollama:qwen3:8b');
    expect(yaml()).toContain('defaultProfile: cheap');
    expect((await config('profile', 'list')).json).toMatchObject({
      profiles: [
        { name: 'cheap', isDefault: true },
        { name: 'lan', isDefault: false, provider: 'ollama', model: 'qwen3:8b' },
      ],
    });
    await config('profile', 'default', 'lan');
    expect((await config('profile', 'show', 'lan')).text).toMatch(/^\* lan/);
  });

  it('takes every option of the contract', async () => {
    const { config, yaml } = terminal();
    await config(
      'profile',
      'set',
      'own',
      '--provider',
      'openai-compatible',
      '--model',
      'm',
      '--base-url',
      'http://127.0.0.1:9/v1',
      '--api',
      'openai-chat',
      '--key-env',
      'OWN_KEY',
      '--fallback',
      'ollama:a',
      '--fallback',
      'b',
      '--price-input',
      '0.1',
      '--price-output',
      '0',
      '--price-cache-read',
      '0.01',
      '--price-cache-write',
      '0.2',
      '--small-model',
      's',
      '--grader-model',
      'g',
      '--engine',
      'claude',
      '--header',
      'X-A=b=c',
      '--context-window',
      '1000',
      '--max-output',
      '100',
    );
    for (const part of [
      'baseUrl: http://127.0.0.1:9/v1',
      'api: openai-chat',
      'keyEnv: OWN_KEY',
      '- ollama:a',
      '- b',
      'input: 0.1',
      'output: 0',
      'cacheRead: 0.01',
      'cacheWrite: 0.2',
      'smallModel: s',
      'graderModel: g',
      'engine: claude',
      'X-A: b=c',
      'contextWindow: 1000',
      'maxOutput: 100',
    ]) {
      expect(yaml()).toContain(part);
    }
  });

  it('changes what is given and keeps the rest, comments too', async () => {
    const { config, file, yaml } = terminal();
    writeFileSync(
      file,
      'profiles:\n  cheap:\n    provider: openrouter # mine\n    model: a/b\n    future: 1\n    prices: {input: 1, output: 2}\n',
    );
    await config('profile', 'set', 'cheap', '--price-output', '3');
    expect(yaml()).toMatch(/# mine[\s\S]*future: 1[\s\S]*output: 3/);
    expect(yaml()).toContain('input: 1');
  });

  it('drops the prices of the old model, and everything of another provider', async () => {
    const { config, yaml } = terminal();
    await config(...CHEAP, '--price-input', '1', '--price-output', '2', '--key-env', 'MINE');
    expect((await config('profile', 'set', 'cheap', '--model', 'other/model')).text).toContain(
      'prices of vendor/model were dropped',
    );
    expect(yaml()).not.toContain('prices');
    expect(yaml()).toContain('keyEnv: MINE');
    await config('profile', 'set', 'cheap', '--provider', 'minimax');
    expect(yaml()).not.toMatch(/MINE|other/);
  });

  it('passes the default on when it is removed, and forgets its key', async () => {
    const { config, home, yaml } = terminal();
    await config(...CHEAP);
    await config('profile', 'set', 'lan', '--model', 'ollama:m');
    await withStdin(home, ['key', 'set', 'cheap'], KEY);
    expect((await config('profile', 'remove', 'cheap')).json).toEqual({
      removed: 'cheap',
      keyRemoved: true,
      defaultProfile: 'lan',
    });
    expect(readFileSync(join(home, 'credentials.json'), 'utf8')).not.toContain(KEY);
    await config('profile', 'remove', 'lan');
    expect(yaml()).not.toMatch(/profiles|defaultProfile/);
  });

  it.each<[string, string[], string]>([
    ['no provider', ['--model', 'm'], '--provider'],
    ['an unknown provider', ['--provider', 'nope', '--model', 'm'], 'openrouter'],
    ['a generic one without a URL', ['--provider', 'openai-compatible', '--model', 'm'], 'URL'],
    [
      'a URL with a password',
      ['--provider', 'openai-compatible', '--model', 'm', '--base-url', 'https://u:hunter2@h/'],
      'without user name',
    ],
    [
      'one price alone',
      ['--provider', 'openai', '--model', 'm', '--price-input', '1'],
      'both input and output',
    ],
    [
      'a negative price',
      ['--provider', 'openai', '--model', 'm', '--price-input=-1', '--price-output=1'],
      '--help',
    ],
    [
      'a price that is no number',
      ['--provider', 'openai', '--model', 'm', '--price-input=', '--price-output=1'],
      '--help',
    ],
    ['an unknown option', ['--provider', 'openai', '--modle', 'm'], '--help'],
    ['an unknown engine', ['--provider', 'openai', '--model', 'm', '--engine', 'steam'], 'native, claude'],
    ['a header without a name', ['--provider', 'openai', '--model', 'm', '--header', '=hunter2'], 'X-Title'],
    [
      'a header with a line break',
      ['--provider', 'openai', '--model', 'm', '--header', 'A=hunter2\nB: x'],
      'printable',
    ],
  ])('refuses %s with exit 2, and writes nothing', async (_case, options, remedy) => {
    const { config, file } = terminal();
    const error = await refusal(() => config('profile', 'set', 'p', ...options));
    expect(error.exit).toBe(2);
    expect(error.remedy).toContain(remedy);
    expect(error.message).not.toContain('hunter2');
    expect(existsSync(file)).toBe(false);
  });

  it.each([['a b'], ['../x'], ['-x'], [''], ['ü'], ['x'.repeat(65)]])('refuses the name %j', async (name) => {
    const { config, file } = terminal();
    expect(
      await refusal(() => config('profile', 'set', '--provider', 'openai', '--model', 'm', '--', name)),
    ).toMatchObject({ exit: 2 });
    expect(existsSync(file)).toBe(false);
  });
});

it('keeps every comment and every key it does not know, whatever of config writes', async () => {
  const { config, file, yaml } = terminal();
  writeFileSync(
    file,
    '# mine\nmode: auto # m\n\n# money\nbudget: # b\n  perJob: 3 # dollars\nfuture: {keep: [me, 1]} # f\n# end of it\nprofiles: # p\n  first: # one\n    provider: openai # o\n    model: gpt # g\n    later: true # l\n',
  );
  const comments = ['# mine', '# m', '# money', '# b', '# dollars', '# f', '# end of it', '# p', '# one'];
  const kept = [...comments, '# o', '# g', '# l', 'later: true', 'keep: [me, 1]'];
  for (const args of [
    ['set', 'budget.perJob', '4'],
    ['set', 'neverSend', '[.env, secrets/**]'],
    ['set', 'limits.maxSteps', '9'],
    ['unset', 'limits.maxSteps'],
    ['mode', 'off'],
    ['allow', 'openai:gpt', 'openai:gpt-2'],
    ['allow', 'all'],
    CHEAP,
    ['profile', 'set', 'first', '--max-output', '5'],
    ['profile', 'set', 'cheap', '--data-collection', 'deny'],
    ['profile', 'default', 'cheap'],
    ['profile', 'remove', 'cheap'],
    ['unset', 'neverSend'],
  ]) {
    await config(...args);
    const text = yaml();
    expect([args, kept.filter((part) => !text.includes(part))]).toEqual([args, []]);
  }
});

describe('config allow and mode', () => {
  it('bounds the models, and lifts the bound', async () => {
    const { config, yaml } = terminal();
    await config(...CHEAP);
    expect((await config('allow', 'vendor/model', 'ollama:m', 'vendor/model')).json).toEqual({
      allowedModels: ['openrouter:vendor/model', 'ollama:m'],
    });
    const error = await refusal(() => config('allow', 'ollama:m'));
    expect(error).toMatchObject({ exit: 2, value: 'openrouter:vendor/model' });
    expect((await config('allow', 'all')).text).toBe('every model is allowed');
    expect(yaml()).not.toContain('allowedModels');
  });

  it('takes the three modes and no other', async () => {
    const { config, yaml } = terminal();
    for (const mode of ['off', 'ondemand', 'auto']) {
      await config('mode', mode);
      expect(yaml()).toContain(`mode: ${mode}`);
    }
    expect(await refusal(() => config('mode', 'on'))).toMatchObject({
      exit: 2,
      remedy: expect.stringContaining('off, ondemand, auto'),
    });
  });
});

describe('config as a program’s call', () => {
  const writing = [
    ['set', 'budget.perJob', '99'],
    ['unset', 'mode'],
    ['mode', 'auto'],
    ['allow', 'all'],
    CHEAP,
    ['profile', 'remove', 'x'],
    ['profile', 'default', 'x'],
    ['key', 'set', 'openrouter'],
    ['key', 'remove', 'openrouter'],
  ];
  it.each(writing.flatMap((args) => [[args, 'CLAUDECODE'] as const, [args, 'CC_DELEGATE_WORKER'] as const]))(
    'refuses %j under %s with the command for a terminal',
    async (args, variable) => {
      const { config, home } = terminal({ [variable]: '1' });
      const error = await refusal(() => config(...args));
      expect(error).toMatchObject({ exit: 5, code: 'needs_the_user' });
      expect(error.remedy).toContain(`cc-delegate config ${args.join(' ')}`);
      expect(existsSync(join(home, 'config.yaml')) || existsSync(join(home, 'credentials.json'))).toBe(false);
    },
  );

  it.each([['show'], ['path'], ['profile', 'list'], ['profile', 'show']])(
    'lets it read: %s %s',
    async (...args) => {
      expect((await terminal({ CLAUDECODE: '1' }).config(...args.filter(Boolean))).exit).toBe(0);
    },
  );

  it('quotes what a terminal would not take as it is', async () => {
    const error = await refusal(() =>
      terminal({ CLAUDECODE: '1' }).config('set', 'supervisorModel', "it's; \u001b[2J$(x)"),
    );
    expect(error.remedy).toContain(`supervisorModel 'it'\\''s; [2J$(x)'`.replace(' [2J', ' ?[2J'));
  });
});

describe('arguments of config', () => {
  it.each<[string[]]>([
    [[]],
    [['nope']],
    [['show', 'x']],
    [['set', 'mode']],
    [['set', 'mode', 'auto', 'x']],
    [['profile']],
    [['profile', 'set']],
    [['key']],
    [['key', 'set']],
    [['allow']],
    [['set', 'a', '--force']],
  ])('are refused with exit 2: %j', async (args) => {
    expect(await refusal(() => terminal().config(...args))).toMatchObject({ exit: 2 });
  });

  it('may hold --json before or after the verb', async () => {
    expect((await terminal().config('--json', 'path')).exit).toBe(0);
    expect((await terminal().config('path', '--json')).exit).toBe(0);
  });
});

describe('config key', () => {
  it.each(['', '\n', '\r\n'])(
    'reads a key from stdin, its end %j apart, and keeps it in a private file',
    async (end) => {
      const { config, home } = terminal();
      await config(...CHEAP);
      const done = await withStdin(home, ['key', 'set', 'cheap'], `${KEY}${end}`);
      expect(done).toMatchObject({ code: 0, out: 'key …cdef saved for profile cheap (openrouter.ai)\n' });
      const file = join(home, 'credentials.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        profiles: { cheap: { key: KEY, provider: 'openrouter' } },
      });
      expect((await config('profile', 'list')).text).toContain('key …cdef (credentials)');
      expect((await config('key', 'remove', 'cheap')).json).toEqual({ name: 'cheap', removed: true });
      expect((await config('key', 'remove', 'cheap')).json).toEqual({ name: 'cheap', removed: false });
    },
  );

  it.each(['', '\n', 'two words', 'two\nlines', 'a\u0000b'])(
    'refuses %j from stdin, and saves nothing',
    async (text) => {
      const { home } = terminal();
      const done = await withStdin(home, ['key', 'set', 'openrouter'], text);
      expect(done.code).toBe(2);
      expect(existsSync(join(home, 'credentials.json'))).toBe(false);
    },
  );

  it('never takes a key as an argument, and does not repeat it', async () => {
    const error = await refusal(() => terminal().config('key', 'set', 'openrouter', KEY));
    expect(error.exit).toBe(2);
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  it.each(['nobody', 'openai-compatible'])('refuses %s, who could not be sent a key', async (name) => {
    expect(await refusal(() => terminal().config('key', 'set', name))).toMatchObject({ exit: 2 });
  });

  it('asks on a terminal without showing what is typed', async (test) => {
    needs(test, 'script');
    const { home } = terminal();
    const command = [process.execPath, '--import', 'tsx', PROGRAM, 'key', 'set', 'openrouter'].join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, CLAUDECODE: '', CC_DELEGATE_HOME: home },
    });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const asked = shown.includes('Enter when done');
      shown += chunk.toString();
      if (!asked && shown.includes('Enter when done')) child.stdin.write(`${KEY}x\u007f\r`);
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(shown).toContain('saved for provider openrouter');
    expect(shown).not.toContain('sk-test');
    expect(readFileSync(join(home, 'credentials.json'), 'utf8')).toContain(`"${KEY}"`);
  });
});

const PROGRAM = fileURLToPath(new URL('fixtures/config-program.ts', import.meta.url));

/** The verb as a process of its own, with this text on its stdin. */
async function withStdin(home: string, args: string[], text: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...args], {
    env: { ...process.env, CLAUDECODE: '', CC_DELEGATE_WORKER: '', CC_DELEGATE_HOME: home },
  });
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdin.end(text);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, errors };
}
