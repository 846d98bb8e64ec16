import { expect, it } from 'vitest';
import { clientPrompt } from '../../../src/runner/claude/prompt.ts';
import { clientRules, hasShell, ruledOut } from '../../../src/runner/claude/rules.ts';

const some = { allowTools: ['bash(git log *)', 'Read'], denyTools: [] };
const but = { allowTools: [], denyTools: ['Bash(npm publish:*)'] };

it('rules get the client’s names', () => {
  expect(clientRules(some)).toEqual({ allow: ['Bash(git log *)', 'Read'], deny: [] });
  expect(clientRules({ allowTools: ['read'], denyTools: ['bash'] })).toEqual({
    allow: ['Read'],
    deny: ['Bash'],
  });
});

it.each([
  [some, 'git log -1', null],
  [some, 'git log -1; ask_supervisor "what now?"', null],
  [some, 'report_progress half; rm -rf x', /not among the commands/],
  [some, 'ask_supervisor "$(rm x)"', /not among the commands/],
  [some, 'ask_supervisors', /not among the commands/],
  [some, 'if', /cannot be read/],
  [but, 'npm test', null],
  [but, 'true && npm publish --tag x', /denied: npm publish/],
] as const)('%j: %s', (rules, script, why) => {
  const found = ruledOut(rules, script);
  if (why === null) expect(found).toBeNull();
  else expect(found).toMatch(why);
});

it.each([
  [{}, true],
  [{ allowTools: ['bash(git log *)'] }, true],
  [{ allowTools: ['Read'] }, false],
  [{ denyTools: ['bash'] }, false],
  [{ denyTools: ['Bash(rm *)'] }, true],
  [{ permissionMode: 'plan' as const }, true],
])('%j: is there a shell? %s', (terms, wanted) => {
  const task = { allowTools: [], denyTools: [], permissionMode: null, ...terms };
  expect(hasShell(task, ['Bash', 'Read'])).toBe(wanted);
  const around = { subdirectory: '', test: null, commandTimeout: 9 };
  const prompt = clientPrompt({ appendSystemPrompt: null, addDirs: [], scope: [] }, around, {
    instructions: '',
    hasShell: wanted,
  });
  expect(prompt.includes('ask_supervisor')).toBe(wanted);
});

it('a program of the worker may not write a file in the place of a command that may not', () => {
  const rules = { allowTools: ['Bash(git log *)'], denyTools: [] };
  expect(ruledOut(rules, 'report_progress hi; git log -1')).toBeNull();
  expect(ruledOut(rules, 'report_progress hi > src/main.ts')).toMatch(/report_progress/);
});

it('a rule that cannot be read is never left out', () => {
  expect(() => clientRules({ allowTools: ['Read', 'Read(x),Edit(y)'], denyTools: [] })).toThrow(
    /cannot be read/,
  );
});
