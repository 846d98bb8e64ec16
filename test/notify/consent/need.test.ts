import { expect, it } from 'vitest';
import { type Bounds, DEFAULT_BOUNDS, needOf } from '../../../src/notify/consent/need.ts';

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
  'cancel a1b2c3',
  'doctor',
  'config show',
  'config path --json',
  'config profile list',
  'auth status',
  'statusline',
  'apply a1b2c3 --check',
  'start fix --test',
  'start fix --budget 5',
  'start fix --budget=0.5 --profile cheap --network none',
  'start fix --pass-env NPM_TOKEN',
  'start -- --model',
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
  ['config allow all', 'changes your settings'],
  ['auth login x', 'changes your logins'],
  ['statusline install', 'changes your Claude Code settings'],
  ['uninstall', 'removes what cc-delegate has put on this machine'],
  ['hook UserPromptExpansion', 'plays the part of the client'],
  ['a-new-verb', 'runs a-new-verb'],
  ['start fix --budget 5.01', 'goes beyond your settings: --budget 5.01'],
  ['start fix --budget=50', 'goes beyond your settings: --budget 50'],
  ['start fix --budget lots', 'goes beyond your settings: --budget lots'],
  ['start fix --model openrouter:x/y', 'goes beyond your settings: --model openrouter:x/y'],
  ['ask why --profile fast', 'goes beyond your settings: --profile fast'],
  ['start fix --network full', 'goes beyond your settings: --network full'],
  ['start fix --pass-env AWS_KEY', 'goes beyond your settings: --pass-env AWS_KEY'],
  ['start fix --allow-unsandboxed', 'goes beyond your settings: --allow-unsandboxed'],
  ['start fix --add-dir /etc', 'goes beyond your settings: --add-dir /etc'],
  ['resume a1b2c3 --raise-budget 20', 'goes beyond your settings: --raise-budget 20'],
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
