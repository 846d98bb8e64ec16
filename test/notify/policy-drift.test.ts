import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modeContext } from '../../src/notify/mode-context.ts';
import { policyDrift, rememberSettings } from '../../src/notify/policy-drift.ts';
import { makeFolder } from '../helpers/repository.ts';

function withSettings(text: string): { userDir: string; write: (text: string) => void } {
  const userDir = makeFolder();
  const write = (next: string) => writeFileSync(join(userDir, 'config.yaml'), next);
  write(text);
  return { userDir, write };
}

it('shows a change that came by other means, once', () => {
  const { userDir, write } = withSettings('mode: ondemand\nbudget:\n  perJob: 5\n');
  policyDrift(userDir);
  expect(policyDrift(userDir)).toBeNull();
  write('mode: auto\nbudget:\n  perJob: 5\n');
  expect(policyDrift(userDir)).toMatch(/other means[\s\S]*- mode: ondemand\n {2}\+ mode: auto$/);
  expect(policyDrift(userDir)).toBeNull();
});

it('still shows it when the program has written since', () => {
  const { userDir, write } = withSettings('mode: ondemand\n');
  policyDrift(userDir);
  write('mode: auto\n');
  write('mode: auto\nretention:\n  days: 3\n');
  rememberSettings(userDir, 'mode: auto\n');
  expect(policyDrift(userDir)).toContain('+ mode: auto');
});

it('shows nothing of what the program itself has written', () => {
  const { userDir, write } = withSettings('mode: ondemand\n');
  policyDrift(userDir);
  write('mode: auto\n');
  rememberSettings(userDir, 'mode: ondemand\n');
  expect(policyDrift(userDir)).toBeNull();
});

it('has nothing to compare with the first time', () => {
  const { userDir, write } = withSettings('mode: ondemand\n');
  expect(policyDrift(userDir)).toBeNull();
  write('mode: auto\n');
  expect(policyDrift(userDir)).toContain('+ mode: auto');
});

it('shows few and short lines, whatever the change is', () => {
  const { userDir, write } = withSettings('mode: ondemand\n');
  policyDrift(userDir);
  write(Array.from({ length: 500 }, (_, at) => `key${at}: "\u001b[2J${'x'.repeat(300)}"`).join('\n'));
  const shown = policyDrift(userDir) ?? '';
  expect(shown.length).toBeLessThan(800);
  expect(shown).not.toContain('\u001b');
  expect(shown).toContain('495 more lines');
});

it.each([
  ['', 'mode ondemand'],
  ['mode: auto', 'mode auto'],
  ['# x\nmode: "off"   # for now\n', 'mode off'],
  ['profiles:\n  mode: auto\n', 'mode ondemand'],
  ['mode: everything', 'mode ondemand'],
])('tells a session the mode of %j', (text, mode) => {
  expect(modeContext(withSettings(text).userDir)).toContain(`(${mode})`);
});
