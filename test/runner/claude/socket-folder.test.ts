import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { JobId } from '../../../src/job/ids.ts';
import { openSocketFolder, removeSocketFolder } from '../../../src/runner/claude/socket-folder.ts';
import { makeFolder } from '../../helpers/repository.ts';

const id = (end: string): JobId => `t_mx2vtest_${end}` as JobId;
const long = (folder: string): string => join(folder, 'x'.repeat(90));

it('a short folder of the job has room for a socket; it is private', () => {
  const job = makeFolder();
  const folder = openSocketFolder(job, id('aaaaaa'));
  expect(folder).toBe(join(job, 's'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  // The next turn of work.
  expect(openSocketFolder(job, id('aaaaaa'))).toBe(folder);
});

it('below a long one it is in the temporary folder, short enough to listen in, and is removed with all in it', async () => {
  const folder = openSocketFolder(long(makeFolder()), id('bbbbbb'));
  onTestFinished(() => removeSocketFolder(id('bbbbbb')));
  expect(folder.startsWith('/tmp/ccd-')).toBe(true);
  const path = join(folder, '00000000.sock');
  expect(Buffer.byteLength(path)).toBeLessThan(100);
  const server = createServer().listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  expect(existsSync(path)).toBe(true);
  removeSocketFolder(id('bbbbbb'));
  expect(existsSync(folder)).toBe(false);
  removeSocketFolder(id('bbbbbb'));
});

it('a link that somebody has put in its place is neither used nor followed', () => {
  const target = makeFolder();
  writeFileSync(join(target, 'keep'), '');
  const planted = join('/tmp', 'ccd-tmx2vtestcccccc');
  symlinkSync(target, planted);
  onTestFinished(() => rmSync(planted, { force: true }));
  expect(() => openSocketFolder(long(makeFolder()), id('cccccc'))).toThrow(/EEXIST/);
  removeSocketFolder(id('cccccc'));
  expect(existsSync(join(target, 'keep'))).toBe(true);
});

it.runIf(process.getuid?.() === 0)('a folder of another user is not removed', async () => {
  const { chownSync } = await import('node:fs');
  const planted = join('/tmp', 'ccd-tmx2vtestdddddd');
  mkdirSync(planted);
  onTestFinished(() => rmSync(planted, { recursive: true }));
  chownSync(planted, 12345, 12345);
  removeSocketFolder(id('dddddd'));
  expect(existsSync(planted)).toBe(true);
});
