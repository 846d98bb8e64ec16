import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_BOUNDS } from '../../../src/notify/consent/bounds.ts';
import { readBounds, writeBounds } from '../../../src/notify/consent/bounds-file.ts';
import { makeFolder } from '../../helpers/repository.ts';

const bounds = { ...DEFAULT_BOUNDS, permissionMode: 'plan' } as const;

it('the bounds are read as they were written, while the settings are those they were made from', () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'config.yaml'), 'permissionMode: plan\n');
  writeBounds(folder, bounds);
  expect(readBounds(folder)).toEqual(bounds);
  writeFileSync(join(folder, 'config.yaml'), 'permissionMode: auto\n');
  expect(readBounds(folder)).toBeNull();
});

it.each([
  ['of a version that knew no mode', undefined],
  ['with a mode that is none', 'everything'],
])('bounds %s are not known: the person is asked', (_, permissionMode) => {
  const folder = makeFolder();
  const path = join(folder, 'bounds.json');
  writeFileSync(join(folder, 'config.yaml'), 'permissionMode: plan\n');
  writeBounds(folder, bounds);
  const kept = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...kept, bounds: { ...kept.bounds, permissionMode } }));
  expect(readBounds(folder)).toBeNull();
});
