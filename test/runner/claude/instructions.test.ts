import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { instructionsText, projectInstructions } from '../../../src/runner/claude/instructions.ts';
import { findRepository } from '../../../src/workspace/repository.ts';
import { type Files, git, makeFolder, makeRepository } from '../../helpers/repository.ts';

async function instructionsOf(
  files: Files,
  given: { subdirectory?: string; isHidden?: (path: string) => boolean; links?: Record<string, string> } = {},
): Promise<string> {
  const repository = makeRepository(files);
  for (const [at, target] of Object.entries(given.links ?? {})) symlinkSync(target, join(repository, at));
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '--allow-empty', '-m', 'links');
  const folder = join(makeFolder(), 'claude');
  mkdirSync(folder);
  return projectInstructions(await findRepository(repository), {
    commit: git(repository, 'rev-parse', 'HEAD').trim(),
    subdirectory: given.subdirectory ?? '',
    folder,
    isHidden: given.isHidden ?? (() => false),
  });
}

describe('the instructions of a project', () => {
  it('are those at the root and on the way down to where the worker starts, in this order', async () => {
    const text = await instructionsOf(
      {
        'AGENTS.md': 'ROOT-AGENTS\n',
        'CLAUDE.md': 'ROOT-CLAUDE\n',
        'a/CLAUDE.md': 'A-CLAUDE\n',
        'a/b/AGENTS.md': 'B-AGENTS\n',
        'other/CLAUDE.md': 'OTHER\n',
      },
      { subdirectory: 'a/b' },
    );
    expect(text.match(/ROOT-CLAUDE|ROOT-AGENTS|A-CLAUDE|B-AGENTS|OTHER/g)).toEqual([
      'ROOT-CLAUDE',
      'ROOT-AGENTS',
      'A-CLAUDE',
      'B-AGENTS',
    ]);
    expect(text).toContain('(a/CLAUDE.md)');
  });

  it('have with them what they import, once, and what that imports, out of the repository never', async () => {
    const text = await instructionsOf(
      {
        'CLAUDE.md':
          'See @docs/style.md and @AGENTS.md.\nNot `@docs/shown.md`, a@docs/mail.md, @nobody, @docs, @/etc/hostname.\n',
        'AGENTS.md': 'AGENTS\n',
        'docs/style.md': 'STYLE @deep/more.md @../CLAUDE.md @../../outside.md @key.md\n',
        'docs/deep/more.md': 'MORE\n```\n@shown.md\n```\n',
        'docs/deep/shown.md': 'SHOWN\n',
        'docs/shown.md': 'SHOWN\n',
        'docs/mail.md': 'MAIL\n',
        'docs/key.md': 'KEY\n',
      },
      { isHidden: (path) => path === 'docs/key.md' },
    );
    expect(text.match(/project's instructions \(\S+\)/g)?.map((each) => each.slice(24, -1))).toEqual([
      'CLAUDE.md',
      'AGENTS.md',
      'docs/style.md',
      'docs/deep/more.md',
    ]);
    expect(text).toMatch(/STYLE[\s\S]*MORE/);
    expect(text).not.toMatch(/SHOWN|MAIL|KEY/);
  });

  it('are followed so deep and no deeper', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`n${at}.md`, `IN-${at} @n${at + 1}.md\n`]),
    );
    const text = await instructionsOf({ ...chain, 'CLAUDE.md': '@n0.md\n' });
    expect(text.match(/IN-\d/g)).toEqual(['IN-0', 'IN-1', 'IN-2', 'IN-3', 'IN-4']);
  });

  it('follow no link, are no folder, and leave out what is never sent', async () => {
    expect(await instructionsOf({ 'secret.txt': 'SECRET\n' }, { links: { 'CLAUDE.md': 'secret.txt' } })).toBe(
      '',
    );
    expect(await instructionsOf({ 'CLAUDE.md/x': 'X\n' })).toBe('');
    expect(await instructionsOf({ 'CLAUDE.md': 'X\n' }, { isHidden: (path) => path === 'CLAUDE.md' })).toBe(
      '',
    );
    expect(await instructionsOf({ 'README.md': 'x\n' })).toBe('');
  });

  it('are those of the commit, whatever lies in the checkout and whatever git is set to', async () => {
    const repository = makeRepository({ 'CLAUDE.md': 'COMMITTED\n' });
    git(repository, 'config', 'core.pager', 'false');
    git(repository, 'rm', '-q', 'CLAUDE.md');
    const folder = makeFolder();
    const text = await projectInstructions(await findRepository(repository), {
      commit: git(repository, 'rev-parse', 'HEAD').trim(),
      subdirectory: '',
      folder,
      isHidden: () => false,
    });
    expect(text).toContain('COMMITTED');
  });
});

describe('the text of them', () => {
  it('says the same only once, and nothing of an empty file', () => {
    const text = instructionsText([
      { path: 'CLAUDE.md', text: 'SAME\n' },
      { path: 'AGENTS.md', text: 'SAME' },
      { path: 'a/CLAUDE.md', text: ' \n' },
    ]);
    expect(text.match(/SAME/g)).toHaveLength(1);
    expect(text).not.toContain('a/CLAUDE.md');
  });

  it('has one bound for all, tears no character, and names what is not shown', () => {
    const text = instructionsText([
      { path: 'CLAUDE.md', text: `x${'ä'.repeat(20 * 1024)}` },
      { path: 'AGENTS.md', text: 'LATER' },
      { path: 'a/AGENTS.md', text: null },
    ]);
    expect(Buffer.byteLength(text)).toBeLessThan(33 * 1024);
    expect(text).not.toContain('�');
    expect(text).toContain('[cut here; read the rest of it in CLAUDE.md]');
    expect(text).not.toContain('LATER');
    expect(text).toContain('go on in AGENTS.md');
    expect(text).toContain('go on in a/AGENTS.md');
  });
});
