import { describe, expect, it } from 'vitest';
import { modeOfNext, modeUnder } from '../../src/cli/permission-mode.ts';
import {
  refuseForeignPatterns,
  refuseHands,
  refuseWiderRules,
  toolRules,
  workerRequest,
} from '../../src/cli/worker-options.ts';
import { refusal } from '../provider/user-error-of.ts';

describe('what is said of who works', () => {
  it('is nothing where nothing is said', () => {
    const nothing = { engine: undefined, clientPrompt: undefined, permissionMode: undefined };
    expect(workerRequest({})).toEqual({ ...nothing, allowTools: [], denyTools: [], addDirs: [] });
  });

  it('is taken over, rules in Claude Code’s spelling and each once', () => {
    const typed = {
      engine: 'claude',
      'client-prompt': 'full',
      'permission-mode': 'dontAsk',
      'allow-tool': ['read', 'Read', 'bash(git log *)', 'Read(src/*)'],
      'deny-tool': ['Bash(*)'],
      'add-dir': ['../x'],
    };
    expect(workerRequest(typed)).toEqual({
      engine: 'claude',
      clientPrompt: 'full',
      permissionMode: 'dontAsk',
      allowTools: ['Read', 'Bash(git log *)', 'Read(src/*)'],
      denyTools: ['Bash'],
      addDirs: ['../x'],
    });
  });

  it.each([
    [{ engine: 'codex' }, 'codex', /native claude/],
    [{ engine: '' }, '', /native claude/],
    [{ 'client-prompt': 'big' }, 'big', /--client-prompt slim/],
    [{ 'permission-mode': 'yolo' }, 'yolo', /plan default .* bypassPermissions/],
    [{ 'allow-tool': ['Read', 'WebFetch'] }, 'WebFetch', /one of: Bash Read .* Task/],
    [{ 'deny-tool': ['Bash()'] }, 'Bash()', /one of: Bash/],
    [
      { 'deny-tool': ['Bash(rm *),Bash(curl *)'] },
      'Bash(rm *),Bash(curl *)',
      /each rule with its own --deny-tool/,
    ],
    [{ 'allow-tool': ['Read(x),Edit(**)'] }, 'Read(x),Edit(**)', /each rule with its own --allow-tool/],
    [{ 'deny-tool': ['Bash(rm'] }, 'Bash(rm', /one of: Bash/],
    [{ 'allow-tool': ['toString'] }, 'toString', /one of: Bash/],
  ])('%j is no use: exit 2, with the value and what there is', async (values, value, remedy) => {
    expect(await refusal(() => workerRequest(values))).toMatchObject({
      exit: 2,
      value,
      remedy: expect.stringMatching(remedy),
    });
  });

  it('names the option that was wrong', async () => {
    for (const option of ['--allow-tool', '--deny-tool'] as const)
      expect((await refusal(() => toolRules(option, ['X']))).what).toContain(option);
  });
});

describe('a pattern with our own loop', () => {
  it.each([
    [{ allowTools: ['Read(src/*)'], denyTools: [] }, 'Read(src/*)', 'name the whole tool: Read'],
    [{ allowTools: ['Read'], denyTools: ['Edit(.env\n)'] }, 'Edit(.env\n)', 'name the whole tool: Edit'],
  ])('%j is refused where it is not of the shell', async (rules, value, remedy) => {
    const refused = await refusal(() => refuseForeignPatterns('native', rules));
    expect(refused).toMatchObject({ exit: 2, value, remedy });
    refuseForeignPatterns('claude', rules);
  });

  it('is held against commands', () => {
    refuseForeignPatterns('native', {
      allowTools: ['Read', 'Bash(git *)'],
      denyTools: ['Bash(rm *)', 'Edit'],
    });
  });
});

describe('the mode of a job', () => {
  it.each([
    [null, null, null],
    [null, 'acceptEdits', 'acceptEdits'],
    ['plan', null, 'plan'],
    ['bypassPermissions', null, 'bypassPermissions'],
    ['plan', 'acceptEdits', 'plan'],
    ['acceptEdits', 'acceptEdits', 'acceptEdits'],
    ['dontAsk', 'default', 'dontAsk'],
  ] as const)('%s under the ceiling %s is %s', (mode, ceiling, found) => {
    expect(modeUnder(mode, ceiling)).toBe(found);
  });

  it('gives nothing to whom rules give less', () => {
    expect(modeUnder(null, 'acceptEdits', true)).toBe('dontAsk');
    expect(modeUnder(null, 'acceptEdits')).toBe('acceptEdits');
    expect(modeUnder('acceptEdits', 'acceptEdits', true)).toBe('acceptEdits');
  });

  it.each([
    ['auto', 'acceptEdits'],
    ['bypassPermissions', 'auto'],
    ['default', 'plan'],
  ] as const)('%s is refused under %s, with both ways out', async (mode, ceiling) => {
    expect(await refusal(() => modeUnder(mode, ceiling))).toMatchObject({
      exit: 5,
      value: mode,
      what: expect.stringContaining(`permissionCeiling: ${ceiling}`),
      remedy: `take ${ceiling} or less, or raise it: cc-delegate config set permissionCeiling ${mode}`,
    });
  });
});

it.each([
  [[], 'auto', null, 'acceptEdits', 'acceptEdits'],
  [[], null, null, 'acceptEdits', 'acceptEdits'],
  [['Read'], null, null, 'acceptEdits', 'dontAsk'],
  [['Read'], null, 'acceptEdits', null, 'dontAsk'],
  [['Read'], 'acceptEdits', 'auto', 'bypassPermissions', 'acceptEdits'],
  [['Read'], 'auto', 'plan', 'acceptEdits', 'plan'],
] as const)(
  'with rules %j, mode %s, a model of %s and ceiling %s the next turn is %s',
  (allowTools, permissionMode, own, permissionCeiling, mode) => {
    const named = own === null ? null : { permissionMode: own };
    expect(modeOfNext({ allowTools, permissionMode }, named, { permissionCeiling }).mode).toBe(mode);
  },
);

it('a rule of a later turn that allows more is refused with what there was', async () => {
  const before = { allowTools: ['Read', 'Grep'], permissionMode: null, engine: 'native' } as const;
  refuseWiderRules(['Grep'], before);
  expect(await refusal(() => refuseWiderRules(['Grep', 'Bash(ls *)'], before))).toMatchObject({
    exit: 5,
    value: '--allow-tool Bash(ls *) (before: Read Grep)',
    remedy: expect.stringContaining('leave --allow-tool out'),
  });
});

it('an ask is never left without anything to look with', async () => {
  refuseHands(['Read', 'Grep', 'Read(src/**)']);
  expect(await refusal(() => refuseHands(['Read', 'Bash(ls *)']))).toMatchObject({
    exit: 2,
    value: 'Bash(ls *)',
    remedy: 'allow Read, Grep or Glob',
  });
});
