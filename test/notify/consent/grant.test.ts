import { expect, it } from 'vitest';
import { DEFAULT_BOUNDS } from '../../../src/notify/consent/bounds.ts';
import { covers, GRANT_LIFE_MS, typedGrant } from '../../../src/notify/consent/grant.ts';
import { needOf } from '../../../src/notify/consent/need.ts';

const NOW = 1_000_000;

function isCovered(typed: string, call: string, later = 0): boolean {
  const [command = '', ...rest] = typed.split(' ');
  const grant = typedGrant(command.slice(1), rest.join(' '), NOW);
  const argv = call.split(' ');
  const need = needOf(argv, DEFAULT_BOUNDS);
  if (need === null) throw new Error(`${call} needs nobody`);
  return grant !== null && covers(grant, argv, need, NOW + later);
}

it.each([
  ['/delegate-apply a1b2c3', 'apply a1b2c3'],
  ['/delegate-apply a1b2c3', 'apply t_m3k9x2f1_a1b2c3'],
  ['/delegate-apply a1b2c3 --commit', 'apply a1b2c3 --commit --json'],
  ['/delegate-apply', 'apply a1b2c3'],
  ['/delegate-undo', 'undo'],
  ['/delegate-cleanup a1b2c3', 'discard a1b2c3'],
  ['/delegate-setup mode auto', 'config mode auto'],
  ['/delegate-setup config profile set f --provider deepseek', 'config profile set f --provider deepseek'],
  ['/delegate fix it with openrouter:z-ai/glm-4.6, please', 'start fix --model openrouter:z-ai/glm-4.6'],
  ['/delegate fix it --budget 9', 'start fix --budget 9'],
  ['/delegate fix it, budget 9.', 'start fix --budget 9'],
  ['/delegate fix it for up to $9', 'start fix --budget 9'],
  ['/delegate fix it with profile fast', 'start fix --profile fast'],
  ['/delegate fix --allow-unsandboxed', 'start fix --allow-unsandboxed'],
  ['/delegate-followup a1b2c3 and more --raise-budget 9', 'resume a1b2c3 --raise-budget 9'],
])('%s is the consent to: %s', (typed, call) => {
  expect(isCovered(typed, call)).toBe(true);
});

it.each([
  ['/delegate-apply a1b2c3', 'apply zzzzzz'],
  ['/delegate-apply a1b2c3', 'apply a1b2c3 --commit'],
  ['/delegate-apply', 'apply a1b2c3 --allow-control-plane'],
  ['/delegate-apply', 'apply a1b2c3 zzzzzz'],
  ['/delegate-apply a1b2c3', 'undo a1b2c3'],
  ['/delegate-status', 'apply a1b2c3'],
  ['/delegate-setup', 'config mode auto'],
  ['/delegate-setup please never set mode auto', 'config mode auto'],
  ['/delegate-setup mode auto', 'config set budget.perJob 99'],
  ['/delegate fix issue 9', 'start fix --budget 9'],
  ['/delegate make it fast', 'start fix --profile fast'],
  ['/delegate use the full network code', 'start fix --network full'],
  ['/delegate rename opus to magnum', 'start fix --model opus'],
  ['/delegate fix it --budget 9', 'start fix --budget 10'],
  ['/delegate fix it --budget 9', 'apply a1b2c3'],
  ['/delegate-followup a1b2c3 --raise-budget 9', 'answer a1b2c3 --raise-budget 9'],
  ['/delegate fix it for up to $9', 'answer a1b2c3 --raise-budget 9'],
])('%s is no consent to: %s', (typed, call) => {
  expect(isCovered(typed, call)).toBe(false);
});

it('holds for five minutes', () => {
  expect(isCovered('/delegate-undo', 'undo', GRANT_LIFE_MS - 1)).toBe(true);
  expect(isCovered('/delegate-undo', 'undo', GRANT_LIFE_MS)).toBe(false);
});

it('covers by a dialog exactly what the dialog showed', () => {
  const grant = { kind: 'dialog', argv: ['config', 'mode', 'auto'], expiresAt: NOW + 1 } as const;
  const need = { verb: 'config', why: '', words: [] };
  expect(covers(grant, ['config', 'mode', 'auto'], need, NOW)).toBe(true);
  expect(covers(grant, ['config', 'mode', 'auto', '--json'], need, NOW)).toBe(false);
  expect(covers(grant, ['config', 'mode', 'off'], need, NOW)).toBe(false);
});
