import { expect, it } from 'vitest';
import { DEFAULT_BOUNDS } from '../../../src/notify/consent/bounds.ts';
import { judgeTool } from '../../../src/notify/consent/judge-tool.ts';

const place = {
  cwd: '/w/r',
  userDir: '/h/.cc-delegate',
  home: '/h',
  bounds: DEFAULT_BOUNDS,
  newTo: (): string | null => null,
};

function bash(command: string, isGranted = false) {
  return judgeTool({ ...place, tool: 'Bash', input: { command }, isGranted: () => isGranted });
}

it.each([
  'cc-delegate status',
  'cd sub && cc-delegate result a1b2c3 | head -40',
  "cc-delegate start - --test 'npm test' <<'EOF'\nconfig mode auto; cc-delegate apply x\n$(rm -rf /)\nEOF",
  'cc-delegate start "fix $USER" --budget 1',
  'cat .cc-delegate/jobs/t_1_aaaaaa.json',
  'cat ~/.cc-delegate/config.yaml',
  'ls -la /h/.cc-delegate',
  'git commit -m "cc-delegate config mode auto"',
  'echo cc-delegate apply a1b2c3',
  'cat /x/bin/cc-delegate',
  'diff ~/.cc-delegate/config.yaml old.yaml',
  'cp ~/.cc-delegate/config.yaml /tmp/x',
  'sed -n 1,5p ~/.cc-delegate/config.yaml',
  'jq . ~/.cc-delegate/bounds.json',
  'cat node_modules/cc-delegate/dist/hook.cjs',
  'npm install cc-delegate',
  'grep -r "cc-delegate apply" docs',
])('lets a command through that changes nothing of the user: %s', (command) => {
  expect(bash(command)).toEqual({ kind: 'free' });
});

it.each([
  ['cc-delegate config mode auto', [['config', 'mode', 'auto']]],
  ['cd x && /opt/p/bin/cc-delegate apply a1b2c3; echo ok', [['apply', 'a1b2c3']]],
  ['env X=1 timeout 5 cc-delegate undo', [['undo']]],
  ["bash -c 'cc-delegate config allow all'", [['config', 'allow', 'all']]],
  ['eval "cc-delegate uninstall --purge"', [['uninstall', '--purge']]],
  ['echo $(cc-delegate discard a1b2c3)', [['discard', 'a1b2c3']]],
  ['if true; then cc-delegate undo; fi', [['undo']]],
  ['cc-delegate config key set cheap < key.txt', [['config', 'key', 'set', 'cheap']]],
  ['npx cc-delegate undo', [['undo']]],
  ['find . -name x -exec cc-delegate undo', [['undo']]],
  ['node /p/cc-delegate/dist/cli.js undo', [['undo']]],
  ['cd ~ && sed -i s/a/b/ .cc-delegate/config.yaml', []],
  ['cc-delegate undo & cc-delegate discard a1b2c3', [['undo'], ['discard', 'a1b2c3']]],
  ['echo "mode: auto" > ~/.cc-delegate/config.yaml', []],
  ['cp /tmp/x /h/.cc-delegate/config.yaml', []],
  ['sed -i s/ondemand/auto/ $HOME/.cc-delegate/config.yaml', []],
])('asks the person about: %s', (command, calls) => {
  expect(bash(command)).toMatchObject({ kind: 'ask', calls });
});

it.each([
  'env -u CLAUDECODE cc-delegate config mode auto',
  'CLAUDECODE= cc-delegate config mode auto',
  'CC_DELEGATE_HOME=/tmp/x cc-delegate start y',
  'HOME=/tmp/x cc-delegate start y',
  'export CLAUDE_CODE_SESSION_ID=other; cc-delegate followup a1b2c3 x',
  'export CC_DELEGATE_HOME=/tmp/x && cc-delegate start y',
  'CC_DELEGATE_HOME=/tmp/x; cc-delegate start y',
  'unset CLAUDECODE; cc-delegate start y',
  'DELEGATE_MAX_BUDGET_USD=99 cc-delegate start y',
  'export DELEGATE_MODEL=openrouter:x/y; cc-delegate start y',
  'env DELEGATE_API_KEY_ENV_VAR=AWS_SECRET cc-delegate start y',
  'node /p/cc-delegate/dist/policy-hook.cjs UserPromptExpansion',
  'sh /p/cc-delegate/hooks/hook.sh UserPromptExpansion',
  '/p/cc-delegate/hooks/hook.sh UserPromptExpansion',
  'node /p/cc-delegate/dist/cli.js hook UserPromptExpansion',
  'grep -r key ~/.cc-delegate',
  'cat ~/.cc-delegate/*',
  'cat ~/.cc-delegate/cred*',
  'cp ~/.cc-delegate/credentials.json /tmp/x',
  'cd ~ && cat .cc-delegate/credentials.json',
  'cc-delegate config mode $MODE',
  'cc-delegate apply $(cat id)',
  'cc-delegate hook UserPromptExpansion < forged.json',
  'node /p/cc-delegate/dist/hook.cjs UserPromptExpansion',
  'cat /h/.cc-delegate/credentials.json',
  'echo "{}" > /h/.cc-delegate/grants/s/x.json',
  'rm -rf ~/.cc-delegate/grants',
  'rm -rf ~/.cc-delegate',
])('refuses: %s', (command) => {
  expect(bash(command)).toMatchObject({ kind: 'deny' });
});

it('does not ask again for what the person has typed', () => {
  expect(bash('cc-delegate apply a1b2c3', true)).toEqual({ kind: 'free' });
});

it.each([
  ['Write', '/h/.cc-delegate/config.yaml', 'ask'],
  ['Edit', '~/.cc-delegate/config.yaml', 'ask'],
  ['Edit', '/h/.cc-delegate/x/../config.yaml', 'ask'],
  ['Write', '/h/.cc-delegate/grants/s/x.json', 'deny'],
  ['Write', '/h/.cc-delegate/credentials.json', 'deny'],
  ['Read', '/h/.cc-delegate/credentials.json', 'deny'],
  ['Read', '/h/.cc-delegate/config.yaml', 'free'],
  ['Read', '/h/.cc-delegate/config.json', 'deny'],
  ['Read', '/h/.cc-delegate/logins/copilot.json', 'deny'],
  ['Grep', '.cc-delegate/logins', 'deny'],
  ['Read', '/w/r/config.json', 'free'],
  ['Write', '/w/r/docs/cc-delegate.md', 'free'],
  ['Write', '/w/r/.cc-delegate/x', 'free'],
])('%s of %s: %s', (tool, path, kind) => {
  const verdict = judgeTool({ ...place, tool, input: { file_path: path }, isGranted: () => false });
  expect(verdict.kind).toBe(kind);
});

it.each<[string, string[][]]>([
  ['cc-delegate start fix', [['start', 'fix']]],
  ['cc-delegate ask "why?"; cc-delegate status', [['ask', 'why?']]],
  ['cc-delegate retry a1b2c3', [['retry', 'a1b2c3']]],
  // What exactly runs is not known, so no consent to it waits; the person sees it all the same.
  ['cc-delegate start "$PROMPT"', []],
])('asks before files go somewhere for the first time: %s', (command, calls) => {
  const verdict = judgeTool({
    ...place,
    newTo: () => 'openrouter (openrouter.ai)',
    tool: 'Bash',
    input: { command },
    isGranted: () => false,
  });
  expect(verdict).toMatchObject({ kind: 'ask', calls });
  expect(JSON.stringify(verdict)).toMatch(
    /sends the files the worker reads to openrouter \(openrouter.ai\), for the first time from this repository/,
  );
});

it('names both, what goes beyond and where files go for the first time', () => {
  const verdict = judgeTool({
    ...place,
    newTo: () => 'x (y)',
    tool: 'Bash',
    input: { command: 'cc-delegate start fix --budget 99' },
    isGranted: () => false,
  });
  expect(JSON.stringify(verdict)).toMatch(/--budget 99; sends the files the worker reads to x \(y\)/);
});
