import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askRequest } from '../../src/cli/ask-options.ts';
import { refuseUnshared } from '../../src/cli/given-files.ts';
import { startRequest } from '../../src/cli/start-options.ts';
import { readText } from '../../src/cli/text-input.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { agreed, contextOf } from './context.ts';

/** A repository with links that lead out and in, files git ignores, and a folder around it. */
function place() {
  const around = makeFolder();
  const cwd = join(around, 'repo');
  mkdirSync(cwd);
  makeRepository({ '.gitignore': '.env*\nout/\n:odd\n', 'src/a.ts': 'a\n', 'top.md': 'top\n' }, cwd);
  const put = (path: string) => writeFileSync(join(cwd, path), '{"secret": 1}\n');
  mkdirSync(join(cwd, 'out'));
  for (const path of ['.env', 'out/log.txt', ':odd', 'new.md', '../private.txt']) put(path);
  symlinkSync('../private.txt', join(cwd, 'leads-out'));
  symlinkSync('..', join(cwd, 'folder-out'));
  symlinkSync('.env', join(cwd, 'leads-to-ignored'));
  symlinkSync('top.md', join(cwd, 'leads-in'));
  return { around, cwd, userDir: makeFolder() };
}

describe('a file that a model hands over', () => {
  it.each([
    ['../private.txt', /outside of the repository; ..\/private.txt;/],
    ['leads-out', /outside/],
    ['folder-out/private.txt', /outside/],
    ['.git/config', /outside/],
    ['src/../.git/HEAD', /outside/],
    ['.env', /that git ignores; .env;/],
    ['./out/log.txt', /ignores/],
    ['leads-to-ignored', /ignores/],
    [':odd', /ignores/],
  ])('is refused: %s', async (file, words) => {
    const where = place();
    const refused = await refusal(() => refuseUnshared(contextOf(where), [undefined, 'top.md', file]));
    expect(refused).toMatchObject({ exit: 5, code: 'needs_the_user', message: expect.stringMatching(words) });
    await refuseUnshared(contextOf({ ...where, env: {} }), [file]);
    await refuseUnshared(contextOf({ ...where, consent: agreed(['ask', 'q', '--file', file]) }), [file]);
    await refuseUnshared(contextOf({ ...where, consent: agreed(['review', '--file', file], 'typed') }), [
      file,
    ]);
    const other = contextOf({ ...where, consent: agreed(['--budget', '9'], 'typed') });
    expect(await refusal(() => refuseUnshared(other, [file]))).toMatchObject({ exit: 5 });
  });

  it('may be any other of the repository, new ones too, also from a folder below', async () => {
    const where = place();
    await refuseUnshared(contextOf(where), ['new.md', 'leads-in', 'src/a.ts', join(where.cwd, 'top.md')]);
    const below = contextOf({ ...where, cwd: join(where.cwd, 'src') });
    await refuseUnshared(below, ['a.ts', '../top.md', 'not-there']);
    expect(await refusal(() => refuseUnshared(below, ['../.env']))).toMatchObject({ exit: 5 });
  });

  it('is one of the folder where there is no repository', async () => {
    const { around, userDir } = place();
    const context = contextOf({ cwd: join(around), userDir });
    await refuseUnshared(context, ['private.txt']);
    expect(await refusal(() => refuseUnshared(context, [join(userDir, '..')]))).toMatchObject({ exit: 5 });
  });

  it('is refused to everybody where the user has set that it is never sent', async () => {
    const where = place();
    writeFileSync(join(where.userDir, 'config.yaml'), 'neverSend: [src/, private.*, .env]\n');
    for (const context of [
      contextOf({ ...where, env: {} }),
      contextOf({ ...where, consent: agreed(['ask', 'q', '--file', 'src/a.ts']) }),
    ]) {
      for (const file of [
        'src/a.ts',
        './src/../src/a.ts',
        '../private.txt',
        'leads-out',
        'leads-to-ignored',
      ]) {
        const refused = await refusal(() => refuseUnshared(context, ['top.md', file]));
        expect(refused, file).toMatchObject({ exit: 5, code: 'never_sent' });
      }
    }
    await refuseUnshared(contextOf({ ...where, env: {} }), ['top.md', 'not-there', undefined]);
  });

  it.each(['--file', '--schema', '--prompt-file', '--done-file', '--text-file'])(
    'is looked at, whatever option names it: %s',
    async (option) => {
      const where = place();
      const read = (file: string) => {
        const words = option === '--prompt-file' ? [] : ['do it'];
        const context = contextOf({ ...where, args: [...words, option, file] });
        if (option === '--done-file') return startRequest(context);
        if (option !== '--text-file') return askRequest(context);
        return readText(context, { name: 'text', words: [], file, fileOption: 'text-file' });
      };
      for (const file of ['leads-out', '.env'])
        expect(await refusal(() => read(file)), file).toMatchObject({ exit: 5 });
      await read('new.md');
    },
  );
});
