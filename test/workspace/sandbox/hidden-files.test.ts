import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HiddenFiles, hiding } from '../../../src/workspace/sandbox/hidden-files.ts';
import { levelsHere, makeSandbox, textOf } from './helpers.ts';

/** A workspace with secrets/a (hidden), b (hidden) and c, and a shell in it. */
async function place(level: 'full' | 'none' = 'full') {
  const { sandbox, workspace, folder } = await makeSandbox(level);
  mkdirSync(join(workspace, 'deep', 'secrets'), { recursive: true });
  const write = (path: string, text: string) => writeFileSync(join(workspace, path), text);
  write('deep/secrets/a', 'hush a\n');
  write('b', 'hush b\n');
  write('c', 'open c\n');
  const files = await HiddenFiles.open(workspace, ['deep/secrets/a', 'b'], join(folder, 'covers'));
  const held = hiding(sandbox, [files]);
  const bash = async (script: string) => {
    const { stdout, stderr } = await held.run({
      argv: ['bash', '-c', script],
      cwd: workspace,
      timeoutMs: 20_000,
    });
    return textOf(stdout) + textOf(stderr);
  };
  return {
    bash,
    held,
    sandbox,
    workspace,
    folder,
    files,
    read: (path: string) => readFileSync(join(workspace, path), 'utf8'),
  };
}

const full = (await levelsHere()).includes('full');

describe.runIf(full)('files that are hidden from commands', () => {
  it('are seen empty, cannot be written, moved, linked or removed, and stay as they are', async () => {
    const { bash, read, sandbox, workspace } = await place();
    expect(await bash('cat deep/secrets/a b c; wc -c <b')).toBe('open c\n0\n');
    const out = await bash(
      'echo x >>b; mv b d; ln b d; cp b e; rm -f b; rm -rf deep; cat e; cat deep/secrets/a',
    );
    expect(out).not.toContain('hush');
    expect([read('b'), read('deep/secrets/a'), read('e')]).toEqual(['hush b\n', 'hush a\n', '']);
    // Only the commands that hide them.
    const seen = await sandbox.run({ argv: ['cat', 'b'], cwd: workspace, timeoutMs: 20_000 });
    expect(textOf(seen.stdout)).toBe('hush b\n');
  });

  it('are hidden by every name of the workspace', async () => {
    const { sandbox: first, workspace, folder } = await makeSandbox('full');
    await first.dispose();
    writeFileSync(join(workspace, 'b'), 'hush b\n');
    symlinkSync(workspace, join(folder, 'named'));
    const { sandbox } = await makeSandbox('full', { workspace: join(folder, 'named') });
    const files = await HiddenFiles.open(join(folder, 'named'), ['b'], join(folder, 'covers'));
    const seen = await hiding(sandbox, [files]).run({
      argv: ['cat', join(workspace, 'b'), join(folder, 'named', 'b')],
      cwd: workspace,
      timeoutMs: 20_000,
    });
    expect([seen.exitCode, seen.stdout.totalBytes]).toEqual([0, 0]);
  });

  it('stay hidden when a folder around them is moved, and closed', async () => {
    const { bash, files } = await place();
    await bash('mv deep away; mkdir -p deep/secrets; echo other >deep/secrets/a; mv away node_modules');
    expect(await bash('cat node_modules/secrets/a deep/secrets/a')).toBe('other\n');
    expect(await files.paths()).toEqual(['b', 'node_modules/secrets/a']);
    await bash('mv node_modules .git; chmod 0 .git');
    expect(await bash('chmod 755 .git; cat .git/secrets/a')).toBe('');
  });

  it('lead no mount through a link that has taken the place of their folder, and make no file anew', async () => {
    const { bash, folder, read } = await place();
    mkdirSync(join(folder, 'outside'));
    await bash('mv deep away; mkdir deep; ln -s ../../outside deep/secrets; rm -rf x');
    expect(await bash('cat away/secrets/a; ls deep/secrets')).not.toContain('hush');
    expect(read('away/secrets/a')).toBe('hush a\n');
    expect(readdirSync(join(folder, 'outside'))).toEqual([]);
    const other = await place();
    await other.bash('mv deep/secrets deep/s; ln -s "$PWD/deep/s" deep/secrets');
    expect(await other.bash('cat deep/secrets/a; echo still here')).toBe('still here\n');
    expect(await other.files.paths()).toEqual(['b', 'deep/s/a']);
  });

  it('are hidden from a program that stays as well', async () => {
    const { held, workspace } = await place();
    const service = await held.serve({ argv: ['cat', 'b', 'c'], cwd: workspace });
    let said = '';
    service.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await service.ended;
    expect(said).toBe('open c\n');
  });

  it('are looked for when no other command runs', async () => {
    const { bash } = await place();
    const [, between] = await Promise.all([bash('sleep 0.5; mv deep away'), bash('cat away/secrets/a; ls')]);
    expect(between).toBe('away\nb\nc\n');
  });

  it('may be as many as five hundred', async () => {
    const { sandbox, workspace, folder } = await makeSandbox('full');
    const names = Array.from({ length: 500 }, (_, n) => `f${n}`);
    for (const name of names) writeFileSync(join(workspace, name), 'hush');
    const files = await HiddenFiles.open(workspace, names, join(folder, 'covers'));
    const began = performance.now();
    const seen = await hiding(sandbox, [files]).run({
      argv: ['bash', '-c', 'cat f*; echo done'],
      cwd: workspace,
      timeoutMs: 20_000,
    });
    console.log(`a command with 500 hidden files took ${Math.round(performance.now() - began)} ms`);
    expect(textOf(seen.stdout)).toBe('done\n');
  });
});

it('below level full commands run as they would, and see them', async () => {
  const { bash } = await place('none');
  expect(await bash('cat b c')).toBe('hush b\nopen c\n');
});
