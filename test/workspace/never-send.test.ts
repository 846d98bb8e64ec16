import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/job/redaction/redactor.ts';
import { workspaceFiles } from '../../src/workspace/files.ts';
import { neverSent } from '../../src/workspace/never-send.ts';
import { neverSentLines } from '../../src/workspace/never-sent-lines.ts';
import { makeFolder } from '../helpers/repository.ts';

function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const root = makeFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

describe('a path that is never sent', () => {
  it.each<[string, string, boolean]>([
    ['.env*', '.env', true],
    ['.env*', 'packages/a/.env.local', true],
    ['.ENV', '.env', true],
    ['*.pem', 'a/b.pem', true],
    ['*.pem', 'a/b.pem.txt', false],
    ['secrets', 'secrets/a/b', true],
    ['secrets/', 'x/secrets/b', true],
    ['/a', 'b', false],
    ['config/prod/**', 'config/prod/a/b.yaml', true],
    ['config/prod/**', 'config/dev/a', false],
    ['config/*.{key,pem}', './config/x.key', true],
    ['config/*.key', 'sub/config/x.key', false],
  ])('%s and %s', (glob, path, expected) => {
    expect(neverSent([glob])(path)).toBe(expected);
    expect(neverSent(['other', glob])(path)).toBe(expected);
    expect(neverSent([])(path)).toBe(false);
  });
});

describe('the file tools', () => {
  it('read such a file by none of its names, pass it over in a search, and say so', async () => {
    const root = folderWith({ '.env': 'TOKEN=abcdefgh\n', 'src/a.txt': 'TOKEN here\n' });
    symlinkSync('.env', join(root, 'plain.txt'));
    symlinkSync('src/a.txt', join(root, '.env.link'));
    const files = workspaceFiles(root, ['.env*']);
    for (const path of ['.env', './src/../.env', join(root, '.env'), 'plain.txt', '.env.link']) {
      expect(await files.read({ path }), path).toMatchObject({
        ok: false,
        code: 'never_sent',
        text: `${path} is never sent to a model: the user has set it so (neverSend). Do without its content, or ask`,
      });
      expect(await files.edit({ path, oldText: 'TOKEN', newText: 'x' })).toMatchObject({
        code: 'never_sent',
      });
    }
    expect(await files.grep({ pattern: 'TOKEN' })).toMatchObject({
      text: 'src/a.txt:1:TOKEN here\n[1 not looked into: the user never lets them be sent]',
    });
    expect(await files.grep({ pattern: 'TOKEN', path: '.env' })).toMatchObject({ code: 'never_sent' });
    expect(await files.glob({ pattern: '.env' })).toMatchObject({ ok: true, text: '.env' });
    expect(await workspaceFiles(root).read({ path: '.env' })).toMatchObject({ ok: true });
  });
});

describe('the lines of such files', () => {
  const isNeverSent = neverSent(['.env', 'secrets/**']);

  it('are taken out of any text, however they are indented, and values alone too', async () => {
    const long = 'x0123456789'.repeat(40);
    const root = folderWith({
      '.env': 'DATABASE_URL="postgres://u:hunter2hunter2@h/d"\nSHORT=1\nelse\n{\n',
      'secrets/recipe.md': `  The secret recipe is: "salt"\r\n\n${long}\n`,
      'src/a.txt': 'a line that everybody may see\n',
    });
    const checkout = folderWith({ 'secrets/new.txt': 'only in the checkout yet\n' });
    const { secrets, files, left } = await neverSentLines([root, checkout], isNeverSent);
    expect([files, left]).toEqual([3, []]);
    const redactor = createRedactor({ values: [] });
    redactor.learn(secrets);
    const shown = redactor.known(
      [
        '+    The secret recipe is: "salt" and pepper',
        JSON.stringify({ line: 'The secret recipe is: "salt"' }),
        'only in the checkout yet',
        'postgres://u:hunter2hunter2@h/d',
        `${long.slice(0, 300)}`,
        'a line that everybody may see, the secret recipe is',
        'SHORT=1 is one of them',
        'and SHORT=1',
        '+SHORT=1',
        '  SHORT=1\r',
        'SHORT=12',
        'else',
        'SHORT=1',
      ].join('\n'),
    );
    expect(shown).not.toMatch(/salt|only in|hunter2|x0123456789x0123456789x0123456789x/);
    expect(shown).toContain('[redacted:never-sent] and pepper');
    const [, rest] = shown.split('a line that everybody may see, the secret recipe is\n');
    const gone = '[redacted:never-sent]';
    expect(rest?.split('\n')).toEqual([
      ...['SHORT=1 is one of them', 'and SHORT=1', `+${gone}`, `  ${gone}\r`, 'SHORT=12', 'else', gone],
    ]);
  });

  it('that are not known are named: binary, too big, or too many', async () => {
    const root = folderWith({
      'secrets/a.txt': Array.from({ length: 20 }, (_, n) => `line number ${n} of it`).join('\n'),
      'secrets/b.bin': Buffer.from([0, 1, 2, 3]),
      'secrets/c.txt': 'y'.repeat(2000),
    });
    const limits = { entries: 100, fileBytes: 1000, lines: 5 };
    const { secrets, left } = await neverSentLines([root], isNeverSent, limits);
    expect(secrets).toHaveLength(5);
    expect(left).toEqual(['secrets/a.txt', 'secrets/b.bin', 'secrets/c.txt']);
  });

  it('of a link are not followed', async () => {
    const root = folderWith({ 'src/a.txt': 'a line that everybody may see\n' });
    symlinkSync('src/a.txt', join(root, '.env'));
    expect((await neverSentLines([root], isNeverSent)).secrets).toEqual([]);
    linkSync(join(root, 'src/a.txt'), join(root, 'src/.env'));
    expect((await neverSentLines([root], isNeverSent)).secrets).toHaveLength(1);
  });
});
