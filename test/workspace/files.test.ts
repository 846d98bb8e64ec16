import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FileResult, workspaceFiles } from '../../src/workspace/files.ts';
import { type Files, makeFolder, writeFiles } from '../helpers/repository.ts';

/** A workspace reached through a link, and a folder beside it that must stay as it is. */
function makeWorkspace(content: Files = {}) {
  const folder = makeFolder();
  const real = join(folder, 'work');
  const outside = join(folder, 'outside');
  writeFiles(folder, { 'outside/secret': 'secret\n', 'work/.keep': '' });
  writeFiles(real, content);
  symlinkSync(real, join(folder, 'link'));
  return { folder, real, outside, files: workspaceFiles(join(folder, 'link')) };
}

function codeOf(result: FileResult): string {
  return result.ok ? 'ok' : result.code;
}

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('a path', () => {
  function makeTraps() {
    const made = makeWorkspace({ 'src/a': 'a\n' });
    symlinkSync(made.outside, join(made.real, 'linkdir'));
    symlinkSync(join(made.outside, 'new'), join(made.real, 'dangling'));
    symlinkSync('../outside/secret', join(made.real, 'relative'));
    symlinkSync('circle', join(made.real, 'circle'));
    symlinkSync('src/a', join(made.real, 'inner'));
    symlinkSync('src/made', join(made.real, 'inner-dangling'));
    return made;
  }

  it.each([
    ['linkdir/evil', 'outside'],
    ['linkdir/secret', 'outside'],
    ['linkdir/../outside/secret', 'outside'],
    ['dangling', 'outside'],
    ['relative', 'outside'],
    ['../outside/secret', 'outside'],
    ['src/../../outside/secret', 'outside'],
    ['/etc/passwd', 'outside'],
    ['..', 'outside'],
    ['a\0b', 'outside'],
    ['circle', 'not_found'],
    ['nowhere/../src/a', 'not_found'],
    ['src/a/b', 'not_found'],
    ['.', 'is_folder'],
    ['src', 'is_folder'],
  ])('%j is refused: %s', async (path, code) => {
    const { files, outside } = makeTraps();
    expect(codeOf(await files.write({ path, content: 'evil\n' }))).toBe(code);
    expect(codeOf(await files.read({ path }))).toBe(code);
    expect(codeOf(await files.edit({ path, oldText: 'secret', newText: 'evil' }))).toBe(code);
    expect(execFileSync('ls', [outside], { encoding: 'utf8' })).toBe('secret\n');
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret\n');
  });

  it.each([
    ['src/a', 'src/a'],
    ['./src//../src/a', 'src/a'],
    ['inner', 'src/a'],
    ['inner-dangling', 'src/made'],
    ['new/folder/file', 'new/folder/file'],
  ])('%j is written as %s, and links that stay inside stay links', async (path, written) => {
    const { files, real } = makeTraps();
    expect(await files.write({ path, content: 'new\n' })).toMatchObject({ ok: true });
    expect(readFileSync(join(real, written), 'utf8')).toBe('new\n');
    expect(await files.read({ path })).toMatchObject({ text: 'new' });
  });

  it('may be absolute, in either spelling of the workspace', async () => {
    const { files, folder, real } = makeTraps();
    for (const path of [join(real, 'src/a'), join(folder, 'link/src/a')]) {
      expect(await files.read({ path })).toMatchObject({ ok: true, text: 'a', summary: 'src/a (1 lines)' });
    }
  });

  it.each(['.git/config', '.git', '.GIT/hooks/x', 'sub/.git/config'])('%s is not written', async (path) => {
    const { files } = makeTraps();
    expect(codeOf(await files.write({ path, content: 'x' }))).toBe('git_folder');
  });
});

describe('a write', () => {
  it('keeps the mode of a file that is there and gives a new one 0644', async () => {
    const { files, real } = makeWorkspace({ 'run.sh': 'old\n' });
    chmodSync(join(real, 'run.sh'), 0o755);
    await files.write({ path: 'run.sh', content: 'new\n' });
    await files.edit({ path: 'run.sh', oldText: 'new', newText: 'newer' });
    await files.write({ path: 'fresh', content: '' });
    expect(mode(join(real, 'run.sh'))).toBe(0o755);
    expect(mode(join(real, 'fresh'))).toBe(0o644);
    expect(execFileSync('ls', ['-A', real], { encoding: 'utf8' })).toBe('.keep\nfresh\nrun.sh\n');
  });

  it('never reaches another name of the same file', async () => {
    const { files, real, outside } = makeWorkspace();
    linkSync(join(outside, 'secret'), join(real, 'hard'));
    await files.write({ path: 'hard', content: 'x' });
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret\n');
  });

  it('refuses what is not a regular file, and does not wait for it', async () => {
    const { files, real } = makeWorkspace();
    execFileSync('mkfifo', [join(real, 'pipe')]);
    expect(codeOf(await files.write({ path: 'pipe', content: 'x' }))).toBe('not_a_file');
    expect(codeOf(await files.read({ path: 'pipe' }))).toBe('not_a_file');
  });
});

describe('a read', () => {
  const thousand = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}`).join('\n');

  it.each([
    ['a part of it', 'a\nb\nc\n', { offset: 2, limit: 1 }, 'b\n[lines 2-2 of 3; go on with offset 3]'],
    ['its rest', 'a\nb\nc\n', { offset: 2 }, 'b\nc\n[lines 2-3 of 3]'],
    ['all from line 0', 'a\nb', { offset: 0 }, 'a\nb'],
    ['that there is no more', 'a\n', { offset: 5 }, '\n[lines 5-4 of 1]'],
    ['that it is empty', '', {}, '\n[the file is empty]'],
    [
      'what is not UTF-8',
      Buffer.from('caf\xe9\n', 'latin1'),
      {},
      'café\n[not UTF-8: shown as Latin-1; edit keeps all other bytes]',
    ],
  ])('shows %s', async (_, content, args, text) => {
    const { files } = makeWorkspace({ f: content });
    expect(await files.read({ path: 'f', ...args })).toMatchObject({ ok: true, text });
  });

  it('is bounded in lines and in characters', async () => {
    const { files } = makeWorkspace({ long: thousand, wide: 'x'.repeat(1_000_000) });
    expect((await files.read({ path: 'long' })).text).toMatch(
      /line 2000\n\[lines 1-2000 of 3000; go on with offset 2001\]$/,
    );
    expect((await files.read({ path: 'wide' })).text.length).toBeLessThan(51_000);
  });

  it('names a binary file instead of showing it', async () => {
    const { files } = makeWorkspace({ f: Buffer.from([0x89, 0x50, 0, 1, 2]) });
    expect(await files.read({ path: 'f' })).toMatchObject({
      ok: false,
      code: 'binary',
      text: 'f is a binary file of 5 bytes',
    });
  });
});

describe('a workspace that is gone', () => {
  it('is said to be lost, and is not made again', async () => {
    const { files, real } = makeWorkspace({ f: 'x\n' });
    rmSync(real, { recursive: true });
    const answers = [
      await files.read({ path: 'f' }),
      await files.write({ path: 'f', content: 'x' }),
      await files.edit({ path: 'f', oldText: 'x', newText: 'y' }),
      await files.grep({ pattern: 'x' }),
      await files.glob({ pattern: '*' }),
    ];
    expect(answers.map(codeOf)).toEqual(Array(5).fill('workspace_lost'));
    expect(statSync(real, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is not found again in another folder that took its place', async () => {
    const { files, folder, real } = makeWorkspace({ f: 'x\n' });
    renameSync(real, join(folder, 'moved'));
    writeFiles(real, { f: 'other\n' });
    expect(codeOf(await files.write({ path: 'f', content: 'x' }))).toBe('workspace_lost');
    expect(readFileSync(join(real, 'f'), 'utf8')).toBe('other\n');
  });
});
