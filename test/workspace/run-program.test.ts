import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../../src/workspace/run-program.ts';
import { makeFolder } from '../helpers/repository.ts';

const PATH = process.env.PATH ?? '/usr/bin:/bin';

function sh(script: string) {
  return { program: '/bin/sh', args: ['-c', script], env: { PATH } };
}

it('gives back both streams as bytes, and the exit code', async () => {
  const end = await runProgram(sh("printf '\\377\\000a'; echo no >&2; exit 3"));
  expect(end).toEqual({
    stdout: Buffer.from([255, 0, 97]),
    stderr: Buffer.from('no\n'),
    exitCode: 3,
    fault: null,
  });
});

it('inherits no variable, and gives an empty stdin where none is given', async () => {
  const { stdout } = await runProgram({ program: '/usr/bin/env', args: [], env: { ONLY: 'this' } });
  expect(stdout.toString()).toBe('ONLY=this\n');
  expect((await runProgram(sh('cat; echo over'))).stdout.toString()).toBe('over\n');
});

it.each([
  ['bytes', 1 << 22],
  ['a file', 1 << 22],
])('hands over %s on stdin, all of it', async (how, size) => {
  const input = Buffer.alloc(size, 'x');
  const inputFile = join(makeFolder(), 'input');
  writeFileSync(inputFile, input);
  const { stdout } = await runProgram({ ...sh('cat'), ...(how === 'bytes' ? { input } : { inputFile }) });
  expect(stdout.equals(input)).toBe(true);
});

it('takes no harm from a program that does not read its input', async () => {
  const end = await runProgram({ ...sh('exec <&-; echo read nothing'), input: Buffer.alloc(1 << 22) });
  expect(end).toMatchObject({ exitCode: 0, stdout: Buffer.from('read nothing\n') });
});

it('ends a program at its limit, and when it is told to', async () => {
  const long = sh('echo begun; exec sleep 60');
  const late = await runProgram({ ...long, timeoutMs: 300 });
  expect(late).toMatchObject({ exitCode: null, fault: 'timed out', stdout: Buffer.from('begun\n') });
  const stop = new AbortController();
  const stopped = runProgram({ ...long, signal: stop.signal });
  stop.abort();
  expect(await stopped).toMatchObject({ exitCode: null, fault: 'aborted' });
  expect(await runProgram({ ...long, signal: stop.signal })).toMatchObject({
    exitCode: null,
    fault: 'aborted',
  });
});

it.each([
  ['a program that is not there', { program: '/no/such/program', args: [] }, 'ENOENT'],
  ['a folder that is not there', { ...sh('true'), cwd: '/no/such/folder' }, 'ENOENT'],
  ['arguments that are too long', { program: '/bin/true', args: ['x'.repeat(1 << 23)] }, 'E2BIG'],
])('says of %s why it was not started', async (_what, wanted, why) => {
  const end = await runProgram({ env: { PATH }, ...wanted });
  expect(end.exitCode).toBeNull();
  expect(end.fault).toContain(why);
});
