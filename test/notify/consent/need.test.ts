import { expect, it } from 'vitest';
import { type Bounds, DEFAULT_BOUNDS } from '../../../src/notify/consent/bounds.ts';
import { needOf } from '../../../src/notify/consent/need.ts';

const bounds: Bounds = {
  ...DEFAULT_BOUNDS,
  defaultProfile: 'cheap',
  perJob: 5,
  pass: ['NPM_TOKEN'],
  addDirs: ['/srv/shared'],
};

it.each([
  'status',
  'status a1b2c3 --json',
  'wait --timeout 90',
  'result a1b2c3 --full',
  'diff a1b2c3 --packet',
  'answer a1b2c3 keep',
  'answer a1b2c3 stop',
  'spend --since 7d --json',
  'cancel a1b2c3',
  'report',
  'report a1b2c3 --repo /srv/other',
  'ask why --file src/a.ts --schema s.json',
  'start fix --timeout 10m --max-steps 400',
  'cleanup a1b2c3 --dry-run',
  'uninstall --dry-run',
  'config import --dry-run',
  'config --json show',
  'hook lost a1b2c3 --repo /srv/other',
  'report a1b2c3 --out docs/report.html',
  'report --out=./report.html',
  'doctor',
  'auth status',
  'auth status --check --json',
  'config show',
  'config path --json',
  'config profile list',
  'statusline',
  'apply a1b2c3 --check',
  'start fix --test',
  'start fix --budget 5',
  'start fix --budget=0.5 --profile cheap --network none',
  'start fix --pass-env NPM_TOKEN',
  'start -- --model',
  'start fix --engine claude --client-prompt full',
  'ask why --engine=native',
  'start fix --allow-tool Read --allow-tool Bash --deny-tool Write',
  'followup a1b2c3 --deny-tool Bash --allow-tool Read',
  'start fix --permission-mode plan',
  'start fix --permission-mode=bypassPermissions',
  'config mode off',
  'config mode ondemand',
  'config set budget.perJob 2',
  'config set budget.perDay 1',
  'config set sandbox.network none',
  'config set sandbox.allowUnsandboxed false',
  'config set apply.ask true',
  'config --help',
  'uninstall --help',
  '--version',
])('is free for a model: %s', (line) => {
  expect(needOf(line.split(' '), bounds)).toBeNull();
});

it.each([
  ['apply a1b2c3', 'changes your checkout'],
  ['apply a1b2c3 --commit', 'changes your checkout'],
  ['undo', 'changes your checkout'],
  ['answer a1b2c3 --raise-budget 1', 'lets a job spend more'],
  ['answer a1b2c3 --raise-budget=9', 'lets a job spend more'],
  ['config set budget.perDay 21', 'changes your settings'],
  ['config set budget.perDay none', 'changes your settings'],
  ['report --out /tmp/r.html', 'names a file outside of this directory: --out /tmp/r.html'],
  ['report --out=../r.html', 'names a file outside of this directory: --out ../r.html'],
  ['report --out a/../../r.html', 'names a file outside of this directory: --out a/../../r.html'],
  ['report --out ~/r.html', 'names a file outside of this directory: --out ~/r.html'],
  ['report --out C:\\r.html', 'names a file outside of this directory: --out C:\\r.html'],
  ['report --out r.html --repo /', 'names a file outside of this directory: --out r.html'],
  ['discard a1b2c3', 'gives up a result'],
  ['cleanup a1b2c3', 'removes jobs and their branches'],
  ['config mode auto', 'changes your settings'],
  ['--json', null],
  ['config set mode auto', 'changes your settings'],
  ['config set budget.perJob 6', 'changes your settings'],
  ['config set budget.perJob 1e3', 'changes your settings'],
  ['config set budget.perJob 2 extra', 'changes your settings'],
  ['config profile set fast --provider openrouter', 'changes your settings'],
  ['config key set cheap', 'changes your settings'],
  ['auth login chatgpt', 'changes what you are logged in to'],
  ['auth poll 0123456789abcdef', 'changes what you are logged in to'],
  ['auth logout', 'changes what you are logged in to'],
  ['auth --repo status login chatgpt', 'changes what you are logged in to'],
  ['config allow all', 'changes your settings'],
  ['config mode --repo off auto', 'changes your settings'],
  ['config set --repo mode budget.perJob 99', 'changes your settings'],
  ['config mode off --repo x', 'changes your settings'],
  ['config allow-rules --repo show add', 'changes your settings'],
  ['config --repo show mode auto', 'changes your settings'],
  ['statusline --repo x install', 'changes your Claude Code settings'],
  ['hook --repo lost UserPromptExpansion', 'plays the part of the client'],
  ['doctor --request', 'makes a paid request: --request'],
  ['start fix --timeout 99h', 'goes beyond your settings or this directory: --timeout 99h'],
  ['resume a1b2c3 --raise-timeout 2h', 'goes beyond your settings or this directory: --raise-timeout 2h'],
  ['start fix --max-turns 100000', 'goes beyond your settings or this directory: --max-turns 100000'],
  ['ask why --file /etc/passwd', 'goes beyond your settings or this directory: --file /etc/passwd'],
  ['ask why --file=../x', 'goes beyond your settings or this directory: --file ../x'],
  [
    'ask - --prompt-file ~/.ssh/id_rsa',
    'goes beyond your settings or this directory: --prompt-file ~/.ssh/id_rsa',
  ],
  [
    'answer a1b2c3 --text-file /etc/passwd',
    'names a file outside of this directory: --text-file /etc/passwd',
  ],
  ['statusline install', 'changes your Claude Code settings'],
  ['uninstall', 'removes what cc-delegate has put on this machine'],
  ['hook UserPromptExpansion', 'plays the part of the client'],
  ['a-new-verb', 'runs a-new-verb'],
  ['start fix --budget 5.01', 'goes beyond your settings or this directory: --budget 5.01'],
  ['start fix --budget=50', 'goes beyond your settings or this directory: --budget 50'],
  ['start fix --budget lots', 'goes beyond your settings or this directory: --budget lots'],
  ['start fix --model openrouter:x/y', 'goes beyond your settings or this directory: --model openrouter:x/y'],
  ['ask why --profile fast', 'goes beyond your settings or this directory: --profile fast'],
  ['start fix --network full', 'goes beyond your settings or this directory: --network full'],
  ['start fix --pass-env AWS_KEY', 'goes beyond your settings or this directory: --pass-env AWS_KEY'],
  ['start fix --allow-unsandboxed', 'goes beyond your settings or this directory: --allow-unsandboxed'],
  ['start fix --add-dir /etc', 'goes beyond your settings or this directory: --add-dir /etc'],
  [
    'start fix --add-dir /srv/shared-too',
    'goes beyond your settings or this directory: --add-dir /srv/shared-too',
  ],
  [
    'start fix --add-dir /srv/shared/../etc',
    'goes beyond your settings or this directory: --add-dir /srv/shared/../etc',
  ],
  ['start fix --permission-mode all', 'goes beyond your settings or this directory: --permission-mode all'],
  ['resume a1b2c3 --raise-budget 20', 'goes beyond your settings or this directory: --raise-budget 20'],
])('needs the person: %s', (line, why) => {
  expect(needOf(line.split(' '), bounds)?.why ?? null).toBe(why === null ? 'runs --json' : why);
});

it('follows the settings: what the user allowed is within them', () => {
  const wide: Bounds = { ...bounds, network: 'full', allowUnsandboxed: true, perJob: 50, applyAsk: false };
  expect(needOf('start x --network full --allow-unsandboxed --budget 50'.split(' '), wide)).toBeNull();
  expect(needOf(['apply', 'a1b2c3'], wide)).toBeNull();
  expect(needOf(['undo'], wide)).not.toBeNull();
});

it('takes everything that could be beyond for beyond while the settings are not known', () => {
  expect(needOf('start x --budget 0.01'.split(' '), null)).not.toBeNull();
  expect(needOf(['config', 'mode', 'ondemand'], null)).not.toBeNull();
  expect(needOf(['config', 'mode', 'off'], null)).toBeNull();
  expect(needOf(['start', 'x'], null)).toBeNull();
});

it.each([
  ['plan', 'acceptEdits', true],
  ['acceptEdits', 'acceptEdits', true],
  // The same where nobody can be asked.
  ['dontAsk', 'default', true],
  ['auto', 'acceptEdits', false],
  ['bypassPermissions', 'plan', false],
] as const)('mode %s is within the user’s %s: %s', (typed, permissionMode, isWithin) => {
  const need = needOf(['start', 'fix', '--permission-mode', typed], { ...bounds, permissionMode });
  expect(need === null).toBe(isWithin);
});

it.each([
  ['Bash', null, true],
  ['Bash(git log *)', 'bypassPermissions', true],
  ['Read', 'default', true],
  ['Bash(git log *)', 'default', false],
  ['Edit', 'dontAsk', false],
  ['Edit', 'acceptEdits', true],
  ['Bash', 'acceptEdits', false],
  ['Bash', 'plan', false],
  ['Nonsense', null, false],
] as const)('a rule that allows %s is within the user’s mode %s: %s', (rule, permissionMode, isWithin) => {
  for (const call of [
    ['start', 'fix'],
    ['followup', 'a1b2c3', 'go on'],
  ]) {
    const need = needOf([...call, '--allow-tool', rule], { ...bounds, permissionMode });
    expect(need === null).toBe(isWithin);
  }
});

it('while the settings are not known, any mode is beyond them, and the engine is not', () => {
  expect(needOf('ask why --permission-mode plan'.split(' '), null)).not.toBeNull();
  expect(needOf('ask why --allow-tool Read'.split(' '), null)).not.toBeNull();
  expect(needOf('ask why --engine claude --deny-tool Read'.split(' '), null)).toBeNull();
});
