import { expect, it } from 'vitest';
import { simpleCommands } from '../../../src/runner/tools/simple-commands.ts';

it.each([
  ['git log -1', ['git log -1']],
  ['git log && rm  x; ls | wc', ['git log', 'rm x', 'ls', 'wc']],
  ['"git" "log"', ['git log']],
  ['$(echo rm) x', null],
  ['"$X" x', null],
  ['~ x', null],
  ['~/bin/x', ['~/bin/x']],
  ['X=1 rm x', null],
])('of %s the commands are %j', (script, commands) => {
  expect(simpleCommands(script)?.map(({ text }) => text) ?? null).toEqual(commands);
});

it.each(['echo $(rm x)', 'echo "a $(rm x)"', 'f() { rm x; }; f'])(
  'what is inside of %s is seen',
  (script) => {
    expect(simpleCommands(script)?.map(({ text }) => text)).toContain('rm x');
  },
);

it.each([
  ['git push x', true],
  ["git 'push' x", true],
  ['git "push" x', true],
  ['git "pu"sh\\ x', true],
  ['git "$E" x', false],
  ['git $E x', false],
  ['git pu{sh,} x', false],
  ['git $(echo push) x', false],
])('%s says itself what it is: %s', (script, isTold) => {
  expect(simpleCommands(script)?.at(0)?.isTold).toBe(isTold);
});

it.each([
  ['git log > out', true],
  ['git log >> out', true],
  ['git log &> out', true],
  ['{ git log; } > out', true],
  ['(git log) > out', true],
  ['git log > /dev/null 2>&1', false],
  ['git log < in', false],
])('%s writes to a file: %s', (script, writes) => {
  expect(simpleCommands(script)?.at(0)?.writes).toBe(writes);
});
