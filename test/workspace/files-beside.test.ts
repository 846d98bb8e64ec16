import { readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceFiles } from '../../src/workspace/files.ts';
import { makeFolder, writeFiles } from '../helpers/repository.ts';

/** A workspace, a folder beside it that may be read, and one that may not. */
function place() {
  const [root, beside, outside] = [makeFolder(), makeFolder(), makeFolder()].map((each) =>
    realpathSync(each),
  );
  if (root === undefined || beside === undefined || outside === undefined) throw new Error('no folders');
  writeFiles(root, { 'a.txt': 'alpha\n' });
  writeFiles(beside, { 'b.txt': 'beta\n', 'deep/c.md': 'beta too\n', '.env': 'KEY=beta\n' });
  writeFiles(outside, { 'secret.txt': 'beta\n' });
  symlinkSync(join(beside, 'b.txt'), join(root, 'to-beside'));
  symlinkSync(join(outside, 'secret.txt'), join(beside, 'to-outside'));
  return { root, beside, outside, files: workspaceFiles(root, ['.env'], [beside]) };
}

describe('a folder beside the workspace', () => {
  it('is read, searched and listed by its absolute paths', async () => {
    const { root, beside, files } = place();
    expect(await files.read({ path: join(beside, 'b.txt') })).toMatchObject({
      ok: true,
      text: 'beta',
      summary: `${beside}/b.txt (1 lines)`,
    });
    expect(await files.read({ path: 'to-beside' })).toMatchObject({ ok: true, text: 'beta' });
    expect(await files.read({ path: beside })).toMatchObject({
      code: 'is_folder',
      text: expect.stringContaining(beside),
    });
    expect(await files.grep({ pattern: 'beta', path: beside })).toMatchObject({
      ok: true,
      text: `${beside}/b.txt:1:beta\n${beside}/deep/c.md:1:beta too\n[1 not looked into: the user never lets them be sent]`,
    });
    expect(await files.glob({ pattern: `${beside}/**/*.md` })).toMatchObject({ text: `${beside}/deep/c.md` });
    expect(await files.glob({ pattern: '**/*.txt' })).toMatchObject({ text: 'a.txt' });
    expect(await files.grep({ pattern: 'a' })).toMatchObject({ text: 'a.txt:1:alpha' });
    expect(await files.read({ path: join(root, 'a.txt') })).toMatchObject({ summary: 'a.txt (1 lines)' });
  });

  it('is never written, and leads nowhere else', async () => {
    const { beside, outside, files } = place();
    const target = join(beside, 'b.txt');
    expect(await files.write({ path: target, content: 'x' })).toMatchObject({ ok: false, code: 'outside' });
    expect(await files.write({ path: 'to-beside', content: 'x' })).toMatchObject({
      ok: false,
      code: 'outside',
    });
    const change = { oldText: 'beta', newText: 'x' };
    expect(await files.edit({ path: target, ...change })).toMatchObject({ ok: false, code: 'outside' });
    expect(readFileSync(target, 'utf8')).toBe('beta\n');
    expect(await files.read({ path: join(beside, 'to-outside') })).toMatchObject({ code: 'outside' });
    expect(await files.read({ path: join(outside, 'secret.txt') })).toMatchObject({ code: 'outside' });
    expect(await files.read({ path: join(beside, '.env') })).toMatchObject({ code: 'never_sent' });
    expect(await files.grep({ pattern: 'KEY', path: join(beside, '.env') })).toMatchObject({
      code: 'never_sent',
    });
  });

  it('has the same never sent, wherever in it the folder begins', async () => {
    const { root, beside } = place();
    writeFiles(beside, { 'secrets/token': 'beta\n', 'config/prod.key': 'beta\n', 'config/a.txt': 'beta\n' });
    for (const folder of ['secrets', 'config']) {
      const named = join(beside, folder);
      const files = workspaceFiles(root, ['secrets', 'config/*.key'], [named]);
      const hidden = folder === 'secrets' ? 'token' : 'prod.key';
      expect(await files.read({ path: join(named, hidden) })).toMatchObject({ code: 'never_sent' });
      expect((await files.grep({ pattern: 'beta', path: named })).text).not.toContain(`${hidden}:`);
    }
    const files = workspaceFiles(root, ['secrets', 'config/*.key'], [join(beside, 'config')]);
    expect(await files.read({ path: join(beside, 'config', 'a.txt') })).toMatchObject({ text: 'beta' });
  });

  it('is named where a path is in neither', async () => {
    const { beside, root, files } = place();
    const { text } = await files.read({ path: '/etc/hostname' });
    expect(text).toContain(root);
    expect(text).toContain(beside);
  });
});
