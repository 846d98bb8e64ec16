import { describe, expect, it } from 'vitest';
import { clientRule, hasTool, judgeShell, matchesPattern, widerRules } from '../../src/job/tool-rules.ts';

const NONE = { allowTools: [], denyTools: [], permissionMode: null };

it.each([
  ['Read', 'Read'],
  ['bash', 'Bash'],
  ['Bash(git log *)', 'Bash(git log *)'],
  ['bash(npm run test:*)', 'Bash(npm run test:*)'],
  ['Bash(*)', 'Bash'],
  ['Bash(:*)', 'Bash'],
  [' Bash( rm * ) ', 'Bash(rm *)'],
  ['Nothing', null],
  ['Bash()', null],
  ['Bash( )', null],
  ['Bash(ls', null],
  ['', null],
  ['constructor', null],
])('%s is kept as %s', (typed, kept) => {
  expect(clientRule(typed)).toBe(kept);
});

it.each([
  ['git log *', 'git log -3', true],
  ['git log *', 'git push', false],
  ['git log *', 'git log', true],
  ['git log *', 'git logs', false],
  ['git log*', 'git logs', true],
  ['git * main', 'git push main', true],
  ['git * main', 'git push main x', false],
  ['npm run test:*', 'npm run test', true],
  ['npm run test:*', 'npm run test -- x', true],
  ['npm run test:*', 'npm run tests', false],
  ['ls', 'ls -l', false],
  ['a.c', 'abc', false],
])('%s against %s is %s', (pattern, command, matches) => {
  expect(matchesPattern(pattern, command)).toBe(matches);
});

describe('which tools there are', () => {
  it.each([
    [{}, 'bash', true],
    [{ denyTools: ['bash'] }, 'bash', false],
    [{ denyTools: ['Bash(rm *)'] }, 'bash', true],
    [{ allowTools: ['Read'] }, 'edit', false],
    [{ allowTools: ['Read'], denyTools: ['Read'] }, 'read', false],
    [{ allowTools: ['Read'] }, 'ask_supervisor', true],
    [{ permissionMode: 'plan', allowTools: ['Bash'] }, 'bash', false],
    [{ permissionMode: 'default' }, 'edit', false],
    [{ permissionMode: 'default', allowTools: ['Edit'] }, 'edit', true],
    [{ permissionMode: 'acceptEdits' }, 'write', true],
    [{ permissionMode: 'acceptEdits' }, 'bash', false],
    [{ permissionMode: 'auto' }, 'bash', true],
  ] as const)('%j: %s is %s', (change, tool, has) => {
    expect(hasTool(tool, { ...NONE, ...change })).toBe(has);
  });
});

describe('what a shell may run', () => {
  it.each([
    [[], ['Bash(git push:*)'], ['ls', 'git push'], false],
    [[], ['Bash(git push:*)'], ['ls'], true],
    [['Bash(git log *)'], [], ['git log -1', 'rm x'], false],
    [['Bash(git log *)'], [], ['git log -1'], true],
    [['Bash(git *)'], ['Bash(git push:*)'], ['git push'], false],
    [['Bash', 'Bash(git *)'], [], ['ls'], true],
    [['Bash(git *)'], [], null, false],
    [[], [], null, true],
  ] as const)('%j, without %j: %j is %s', (allowTools, denyTools, commands, allow) => {
    expect(judgeShell({ allowTools, denyTools }, commands && told(...commands)).allow).toBe(allow);
  });
});

function told(...texts: string[]) {
  return texts.map((text) => ({ text, isTold: true, writes: false, isInner: false }));
}

describe('what is denied', () => {
  const rules = { allowTools: [], denyTools: ['Bash(git push:*)'] };

  it.each([
    'git push x',
    '/usr/bin/git push x',
    'env git push x',
    'bash -c git push x',
    'find . -exec git push {} +',
    'nohup nice -n 3 git push',
  ])('is denied as %s', (text) => {
    expect(judgeShell(rules, told(text)).allow).toBe(false);
  });

  it.each(['git commit -m git push x', 'echo git push x', 'git pushes'])('is not what %s says', (text) => {
    expect(judgeShell(rules, told(text)).allow).toBe(true);
  });

  it.each([
    ['git push:*', 'git $E x', false],
    ['git push:*', '/usr/bin/git $E', false],
    ['/usr/bin/git push', '/usr/bin/git $E', false],
    ['git*push', 'git $E', false],
    ['* push', 'git $E', false],
    ['git', 'git $E', false],
    ['git push:*', 'env $E', false],
    ['git push:*', 'bash $E', false],
    ['git push:*', '. $E', false],
    ['git push:*', 'gitk $E', true],
    ['git push:*', 'echo $E', true],
    ['gitk*', 'git $E', true],
  ])('%s, where words are put together as it runs: %s is allowed: %s', (pattern, text, allow) => {
    const untold = [{ text, isTold: false, writes: false, isInner: false }];
    expect(judgeShell({ allowTools: [], denyTools: [`Bash(${pattern})`] }, untold).allow).toBe(allow);
    const [program = ''] = text.split(' ');
    expect(judgeShell({ allowTools: [`Bash(${program} *)`], denyTools: [] }, untold).allow).toBe(true);
  });
});

it('a command that is allowed may not write to a file', () => {
  const rules = { allowTools: ['Bash(git log *)'], denyTools: [] };
  expect(judgeShell(rules, [{ text: 'git log -1', isTold: true, writes: true, isInner: false }]).allow).toBe(
    false,
  );
});

describe('rules that allow more than before', () => {
  const native = { ...NONE, engine: 'native' } as const;

  it.each([
    ['there were none: all was allowed', {}, ['Read', 'Bash(git *)', 'Task'], []],
    ['the same', { allowTools: ['Read', 'Bash(git log *)'] }, ['Bash(git log *)', 'read'], []],
    ['a part of a tool', { allowTools: ['Bash'] }, ['Bash(git log *)'], []],
    ['all of a tool', { allowTools: ['Bash(git log *)'] }, ['Bash'], ['Bash']],
    ['another part', { allowTools: ['Bash(git log *)'] }, ['Bash(git *)'], ['Bash(git *)']],
    ['another tool', { allowTools: ['Read', 'Grep'] }, ['Read', 'Edit'], ['Edit']],
    ['what a mode allows anyhow', { permissionMode: 'default' }, ['Read'], []],
    ['what a mode does not', { permissionMode: 'default' }, ['Read', 'Edit'], ['Edit']],
    ['a shell, with edits allowed', { permissionMode: 'acceptEdits' }, ['Write', 'Bash(ls)'], ['Bash(ls)']],
    ['with a mode for all', { permissionMode: 'auto' }, ['Bash'], []],
    ['with such a mode and rules', { permissionMode: 'auto', allowTools: ['Read'] }, ['Bash'], ['Bash']],
    ['agents of our own loop', {}, ['Task'], []],
    ['agents of a client', { engine: 'claude' }, ['Read', 'Task'], ['Task']],
    ['agents it had', { engine: 'claude', allowTools: ['Task'] }, ['Task'], []],
  ] as const)('%s', (_, change, wanted, wider) => {
    expect(widerRules(wanted, { ...native, ...change })).toEqual(wider);
  });
});
