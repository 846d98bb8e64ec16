import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verb as ask } from '../../src/cli/ask.ts';
import { askRequest } from '../../src/cli/ask-options.ts';
import { planAsk } from '../../src/cli/plan-ask.ts';
import { planStart } from '../../src/cli/plan-start.ts';
import { verb as start } from '../../src/cli/start.ts';
import { startRequest } from '../../src/cli/start-options.ts';
import { git, makeFolder } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { NEW, person } from './claude-person.ts';
import { contextOf } from './context.ts';

const CLAUDE = ['--engine', 'claude'];

describe('a job of the claude engine without a client that will do', () => {
  it.each([
    ['start', null, 'client_missing', /npm install -g .*config set claude\.path/],
    ['ask', null, 'client_missing', /npm install/],
    ['start', '2.1.100', 'client_old', /claude update/],
    ['start', 'hello', 'client_broken', /npm install/],
  ] as const)('is not made: %s with %s', async (verb, client, code, remedy) => {
    const { repo, env, context } = person(client);
    const { run } = verb === 'start' ? start : ask;
    const refused = await refusal(() => run(context('do it', ...CLAUDE)));
    expect(refused).toMatchObject({ exit: 6, code, remedy: expect.stringMatching(remedy) });
    expect(existsSync(join(repo, '.cc-delegate'))).toBe(false);
    expect(existsSync(env.CC_DELEGATE_STATE)).toBe(false);
    expect(git(repo, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(git(repo, 'status', '--porcelain')).toBe('');
  });

  it('nor where the model has no endpoint for it, nor with a mode above the ceiling', async () => {
    const settings = { permissionCeiling: 'acceptEdits' };
    const { planned } = person(NEW, {}, settings);
    expect(await refusal(() => planned(...CLAUDE, '--model', 'ollama:x'))).toMatchObject({ exit: 6 });
    const above = ['--permission-mode', 'bypassPermissions'];
    expect(await refusal(() => planned(...CLAUDE, ...above))).toMatchObject({
      exit: 5,
      code: 'above_ceiling',
    });
    expect((await planned(...CLAUDE)).task.permissionMode).toBe('acceptEdits');
  });
});

describe('the engine of a job', () => {
  it('is what the call says, else what the profile says', async () => {
    const plain = person(NEW);
    expect((await plain.planned()).model.engine).toBe('native');
    expect((await plain.planned(...CLAUDE)).model.engine).toBe('claude');
    const own = person(NEW, { engine: 'claude' });
    expect((await own.planned()).model.engine).toBe('claude');
    expect((await own.planned('--engine', 'native')).model.engine).toBe('native');
    expect((await own.plannedAsk()).model.engine).toBe('claude');
  });

  it('is our own for one request without hands, and needs no client', async () => {
    const own = person(null, { engine: 'claude' });
    for (const args of [[], CLAUDE])
      expect((await own.plannedAsk('--no-tools', ...args)).model.engine).toBe('native');
    const outside = contextOf({ cwd: makeFolder(), userDir: own.userDir, args: ['what?'], env: own.env });
    expect((await planAsk(outside, await askRequest(outside))).job.model.engine).toBe('native');
  });

  it('says so where an option is for the client alone, and there is none', async () => {
    const { context } = person(NEW);
    const said = async (...args: string[]) => {
      const made = context('do it', ...args);
      const { notices } = await planStart(made, await startRequest(made));
      return notices.filter((notice) => notice.includes('--engine claude'));
    };
    const [prompt, small] = [
      ['--client-prompt', 'full'],
      ['--small-model', 'tiny'],
    ];
    expect(await said(...prompt, ...small)).toEqual([
      '--client-prompt and --small-model change nothing without --engine claude',
    ]);
    expect(await said(...small)).toEqual(['--small-model changes nothing without --engine claude']);
    expect(await said(...CLAUDE, ...prompt, ...small)).toEqual([]);
    const asked = context('what?', '--no-tools', ...CLAUDE, ...prompt);
    expect((await planAsk(asked, await askRequest(asked))).notices.join()).not.toContain('--client-prompt');
  });

  it('says which patterns rules may have', async () => {
    const { planned } = person(NEW);
    const rules = ['--deny-tool', 'Read(secret/*)'];
    expect((await planned(...CLAUDE, ...rules)).task.denyTools).toEqual(['Read(secret/*)']);
    expect(await refusal(() => planned(...rules))).toMatchObject({ exit: 2, value: 'Read(secret/*)' });
  });
});

describe('what a start or an ask says of its worker', () => {
  const words = [
    ...['--allow-tool', 'Read', '--allow-tool', 'read(src/*)', '--deny-tool', 'Edit'],
    ...['--permission-mode', 'acceptEdits', '--client-prompt', 'full', '--small-model', 'tiny'],
    ...['--append-system-prompt', 'Be brief.', '--max-turns', '7'],
  ];
  const told = {
    task: {
      allowTools: ['Read', 'Read(src/*)'],
      denyTools: ['Edit'],
      permissionMode: 'acceptEdits',
      clientPrompt: 'full',
      smallModel: 'tiny',
      appendSystemPrompt: 'Be brief.',
    },
    limits: { maxSteps: 7 },
    model: { small: { endpoint: { model: 'tiny' } } },
  };

  it('is in the job', async () => {
    const { planned, plannedAsk } = person(NEW);
    expect(await planned(...CLAUDE, ...words)).toMatchObject(told);
    expect(await plannedAsk(...CLAUDE, ...words)).toMatchObject(told);
  });

  it('is what the settings say, where the call says nothing', async () => {
    const settings = { permissionMode: 'auto', claude: { prompt: 'full' } };
    const { planned } = person(NEW, { smallModel: 'small' }, settings);
    expect(await planned(...CLAUDE)).toMatchObject({
      task: { permissionMode: 'auto', clientPrompt: 'full', smallModel: null, allowTools: [], denyTools: [] },
      model: { small: { endpoint: { model: 'small' } } },
    });
  });
});
