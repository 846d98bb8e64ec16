import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programFiles } from '../../../src/runner/claude/program-files.ts';
import { makeFolder, writeFiles } from '../../helpers/repository.ts';

it.each([
  ['the package a script lies in', 'lib/package/cli.js', ['lib/package']],
  ['the package whose folder of programs it lies in', 'lib/package/bin/claude.mjs', ['lib/package']],
  ['nothing beside a program that is no script', 'lib/package/claude', []],
  ['nothing beside a script that lies in no package', 'deep/bin/claude.cjs', []],
  ['nothing where the package is the home folder itself', 'home/claude.js', []],
  ['nothing where the home folder lies in it', 'claude.js', []],
])('the client is shown %s', (_, client, folders) => {
  const root = makeFolder();
  const packages = ['lib/package/package.json', 'home/package.json', 'package.json'];
  writeFiles(root, Object.fromEntries(packages.map((path) => [path, '{}'])));
  const found = programFiles(join(root, client), join(root, 'home'));
  expect(found).toEqual(folders.map((folder) => join(root, folder)));
});
