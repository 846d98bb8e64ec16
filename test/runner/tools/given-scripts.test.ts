import { describe, expect, it } from 'vitest';
import { judgeShell } from '../../../src/job/tool-rules.ts';
import { simpleCommands } from '../../../src/runner/tools/simple-commands.ts';

function allows(rules: { allowTools?: string[]; denyTools?: string[] }, script: string): boolean {
  return judgeShell({ allowTools: [], denyTools: [], ...rules }, simpleCommands(script)).allow;
}

describe('without Bash(rm *)', () => {
  it.each([
    ['a script in one word', "bash -c 'true;rm x'"],
    ['one of another shell', "sh -c 'true&&rm x'"],
    ['one in double quotes', 'dash -c "true;rm x"'],
    ['one behind other options', "/bin/bash -e -uo pipefail -c -x 'true;rm x' name"],
    ['one behind options in one word', "bash -oec pipefail 'true;rm x'"],
    ['one in a script', `bash -c "sh -c 'true;rm x'"`],
    ['one behind starters', "env A=1 nohup timeout 5 bash -c 'true;rm x'"],
    ['one xargs starts', "ls | xargs -n1 sh -c 'true;rm x'"],
    ['one find starts', "find . -exec nice sh -c 'true;rm x' {} +"],
    ['one of eval', "eval 'true;rm x'"],
    ['one of eval, in some words', "command eval -- true ';rm' x"],
    ['one of trap', "trap 'true;rm x' EXIT"],
    ['one of another program’s -c', "flock lock -c 'true;rm x'"],
    ['a here-string', "bash <<< 'rm x'"],
    ['a here-string behind a starter', "env sh -s <<< 'rm x' a"],
    ['a here-document', 'bash <<EOF\nrm x\nEOF'],
    ['a quoted here-document', "sh -s <<'EOF' 2>&1\ntrue\nr\\m x\nEOF"],
    ['a script put together as it runs', 'bash -c "$X"'],
    ['a script whose commands are', "bash -c '$0 x' rm"],
    ['a script that is not valid', "bash -c 'if'"],
    ['a here-document put together as it runs', 'bash <<EOF\n$X\nEOF'],
    ['a here-document with something escaped', 'bash <<EOF\n\\$X\nEOF'],
    ['another descriptor’s here-document', "bash 3<<< 'ls'"],
    ['two of them', "bash <<< 'ls' < file"],
    ['what is piped to a shell', "echo 'rm x' | sh"],
    ['what is piped to a shell behind a starter', "echo 'rm x' | env sh"],
    ['what is piped to a shell in a script', "echo 'rm x' | bash -c 'true; sh'"],
    ['what is given around a shell', "{ bash; } <<< 'rm x'"],
    ['what a substitution gives a shell', "bash <(echo 'rm x')"],
    ['a file', 'bash file.sh'],
    ['a file that is read', 'source file.sh'],
    ['a file that is read, shortly', '. ./file.sh'],
    ['a file the options name', "bash --rcfile file -ic 'ls'"],
    ['no script from xargs', "echo 'rm x' | xargs -d: sh -c"],
    ['a script in which xargs puts words', "echo 'rm x' | xargs -I% sh -c %"],
    ['a script in which find puts words', "find . -exec sh -c '{}' ';'"],
    ['words xargs gives to a starter', 'echo rm x | xargs env'],
    ['a script of env', "env -S 'rm x'"],
    ['a script of parallel', "parallel 'true;rm {}' ::: x"],
    ['a shell of another kind', "fish -c 'true; and rm x'"],
    ['what is piped to one', "echo 'rm x' | fish"],
    ['another name', "alias l='rm'"],
    ['a starter of words put together', 'env $X x'],
    ['a program in quotes', 'r"m" x'],
    ['a program of words put together', 'rm "$X"'],
    ['a program at a place', '/bin/rm *.ts'],
    ['a home for a program', 'export HOME=/bin/rm; ~ x'],
  ])('%s is refused', (_, script) => {
    expect(allows({ denyTools: ['Bash(rm *)'] }, script)).toBe(false);
  });

  it.each([
    'grep "foo" x',
    'git commit -m "a b"',
    'git commit -m "rm x"',
    'git log -- *.ts',
    'echo "$X"',
    'echo "rm x"',
    'for f in *; do cat "$f"; done',
    'cat <<EOF\nrm x $X\nEOF',
    'echo a{b,c} $((1 + 1)) ~/x',
    'bash -c \'true; ls "$1"\' name',
    "find . -name '*.ts' -exec sh -c 'grep a \"$1\"' _ {} ';'",
    'find . -name sh',
    "ls | xargs -I% grep % 'a b'",
    "eval 'ls; ls'",
    'eval',
    'trap - EXIT',
    "trap 'echo bye' EXIT",
    'bash <<EOF\nls\nEOF',
    'bash --version',
    'command -v bash',
    'which bash sh',
    'timeout 5 npm test',
    'rmdir "$X"',
    'node "$X" | tee "$Y"',
  ])('%s is allowed', (script) => {
    expect(allows({ denyTools: ['Bash(rm *)'] }, script)).toBe(true);
  });

  it('a script that has no end is refused', () => {
    expect(allows({ denyTools: ['Bash(rm *)'] }, `env ${'eval '.repeat(400)} ls`)).toBe(false);
  });
});

describe('with Bash(git log *) only', () => {
  it.each([
    ['git log "a b"', true],
    ['git log -- *.ts "$X"', true],
    ['git log "$(rm x)"', false],
    ['git log "$(git log)"', true],
    ["bash -c 'git log'", false],
    ["eval 'git log'", false],
    ['git log; bash file.sh', false],
  ])('%s is allowed: %s', (script, allowed) => {
    expect(allows({ allowTools: ['Bash(git log *)'] }, script)).toBe(allowed);
  });

  it.each(["bash -c 'true;ls'", 'bash file.sh', 'bash -c "$X"', 'echo ls | bash', "bash -c 'X=1 ls > file'"])(
    'a shell that is allowed itself is held to no more: %s',
    (script) => {
      expect(allows({ allowTools: ['Bash(bash *)', 'Bash(echo *)'] }, script)).toBe(true);
    },
  );

  it('what is denied as well is refused in its scripts', () => {
    const rules = { allowTools: ['Bash(bash *)'], denyTools: ['Bash(rm *)'] };
    expect(allows(rules, "bash -c 'true;rm x'")).toBe(false);
    expect(allows(rules, "bash -c 'true;ls'")).toBe(true);
  });
});
