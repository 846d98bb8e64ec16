import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readBounds } from '../../src/cli/read-bounds.ts';
import { makeFolder } from '../helpers/repository.ts';

const profile = (permissionMode: string) => ({ provider: 'ollama', model: 'm', permissionMode });

it.each([
  ['nothing is set', {}, null],
  ['a mode is', { permissionMode: 'plan' }, 'plan'],
  ['a ceiling is', { permissionCeiling: 'acceptEdits' }, 'acceptEdits'],
  ['both are', { permissionMode: 'plan', permissionCeiling: 'acceptEdits' }, 'plan'],
  ['the mode is above the ceiling', { permissionMode: 'auto', permissionCeiling: 'plan' }, 'plan'],
  ['the only profile has its own', { permissionMode: 'auto', profiles: { p: profile('plan') } }, 'plan'],
  [
    'a profile that is not the default has its own',
    { permissionMode: 'plan', defaultProfile: 'p', profiles: { p: profile('default'), q: profile('auto') } },
    'default',
  ],
])('the permission mode a model is bound by when %s', (_, settings, mode) => {
  const home = makeFolder();
  const userDir = join(home, '.cc-delegate');
  mkdirSync(userDir, { mode: 0o700 });
  writeFileSync(join(userDir, 'config.yaml'), JSON.stringify(settings), { mode: 0o600 });
  expect(readBounds({ HOME: home, CC_DELEGATE_HOME: userDir })?.permissionMode).toBe(mode);
});
