import { expect, it } from 'vitest';
import { clientRules, ruledOut } from '../../../src/runner/claude/rules.ts';

const some = { allowTools: ['bash(git log *)', 'Read'], denyTools: [] };
const but = { allowTools: [], denyTools: ['Bash(npm publish:*)'] };

it('rules get the client’s names, and who may run some commands may speak to the supervisor', () => {
  expect(clientRules(some)).toEqual({
    allow: [
      'Bash(git log *)',
      'Read',
      'Bash(ask_supervisor:*)',
      'Bash(report_progress:*)',
      'Bash(report_blocker:*)',
    ],
    deny: [],
  });
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
