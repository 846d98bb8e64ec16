import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesInside } from '../../../src/workspace/files-helper/client.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { levelsHere, makeSandbox } from '../sandbox/helpers.ts';

const levels = await levelsHere();

const built = join(process.env.CC_DELEGATE_TEST_DIST ?? 'dist', 'runner', 'files.mjs');

async function makeFiles(
  level: (typeof levels)[number],
  more: { program?: string; timeoutMs?: number } = {},
) {
  const place = await makeSandbox(level);
  // The runtime's copy is an .mjs beside the runner.
  const program = more.program ?? join(makeFolder(), 'files.mjs');
  if (more.program === undefined) copyFileSync(built, program);
  const files = filesInside({
    sandbox: place.sandbox,
    workspace: place.workspace,
    program,
    timeoutMs: more.timeoutMs ?? 60_000,
  });
  return { ...place, files };
}

describe.each(levels)('the file tools at level %s', (level) => {
  it('read, write, edit and search as they do outside, many at once', async () => {
    const { files, workspace } = await makeFiles(level);
    expect(await files.write({ path: 'a/b.txt', content: 'one\ntwo\n' })).toMatchObject({ ok: true });
    expect(await files.edit({ path: 'a/b.txt', oldText: 'two', newText: 'zwei "ü" \u2028' })).toMatchObject({
      ok: true,
    });
    expect(readFileSync(join(workspace, 'a/b.txt'), 'utf8')).toBe('one\nzwei "ü" \u2028\n');
    const answers = await Promise.all([
      files.read({ path: 'a/b.txt' }),
      files.grep({ pattern: 'zw.i' }),
      files.glob({ pattern: '**/*.txt' }),
      files.read({ path: 'not-there' }),
    ]);
    expect(answers.map(({ ok, text }) => [ok, text.split('\n')[0]])).toEqual([
      [true, 'one'],
      [true, expect.stringContaining('a/b.txt')],
      [true, 'a/b.txt'],
      [false, expect.stringContaining('not-there does not exist')],
    ]);
  });

  it('answer for a helper that is ended in the middle of a call, and start it anew', async () => {
    const program = join(makeFolder(), 'hangs-once.mjs');
    writeFileSync(
      program,
      `import { existsSync, writeFileSync } from 'node:fs';
      const hung = existsSync('hung');
      writeFileSync('hung', '');
      if (hung) await import(process.argv[2] + '/helper.mjs');
      else setInterval(() => {}, 1000);`,
    );
    const { files, workspace } = await makeFiles(level, { program, timeoutMs: 5_000 });
    copyFileSync(built, join(workspace, 'helper.mjs'));
    writeFileSync(join(workspace, 'a'), 'a\n');
    expect(await files.read({ path: 'a' })).toMatchObject({ ok: false, code: 'ended' });
    expect(await files.read({ path: 'a' })).toMatchObject({ ok: true, text: 'a' });
  });

  it('end with the sandbox', async () => {
    const { files, sandbox, workspace } = await makeFiles(level);
    writeFileSync(join(workspace, 'a'), 'a\n');
    await files.read({ path: 'a' });
    expect(await sandbox.dispose()).toEqual([]);
    await expect(files.read({ path: 'a' })).rejects.toThrow(/closed/);
  });

  it('believe no stranger: what is no answer ends the helper', async () => {
    const program = join(makeFolder(), 'liar.mjs');
    writeFileSync(
      program,
      `process.stdin.once('data', () => process.stdout.write('{"id":99,"result":{"ok":true,"text":"x","summary":""}}\\n'));`,
    );
    const { files } = await makeFiles(level, { program });
    expect(await files.read({ path: 'a' })).toMatchObject({ ok: false, code: 'ended' });
  });
});

describe.runIf(levels.includes('full'))('at level full the mount table has the last word', () => {
  it('a link that a check was deceived about leads nowhere', async () => {
    const { folder, workspace, bash } = await makeFiles('full');
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    chmodSync(outside, 0o777);
    writeFileSync(join(outside, 'secret'), 'secret\n');
    symlinkSync(outside, join(workspace, 'link'));
    // No check at all, as if every one had been raced.
    const { stdout } = await bash('cat link/secret; echo evil > link/evil; echo done');
    expect(Buffer.from(stdout.bytes).toString()).toBe('done\n');
    expect(existsSync(join(outside, 'evil'))).toBe(false);
  });

  it('without the helper inside the same link is followed by a program that does not check', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'secret'), 'secret\n');
    const { workspace, bash } = await makeSandbox('none');
    symlinkSync(folder, join(workspace, 'link'));
    expect(Buffer.from((await bash('cat link/secret')).stdout.bytes).toString()).toBe('secret\n');
  });
});
