import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SessionFiles } from '../../../src/engine/claude/inside/session-file.ts';
import { SessionTail } from '../../../src/engine/claude/inside/session-tail.ts';
import { makeFolder } from '../../helpers/repository.ts';

it('the session is followed in pieces that end with a line, and without a line that nobody takes', async () => {
  const config = makeFolder();
  const files = new SessionFiles(config);
  mkdirSync(join(config, 'projects', 'p'), { recursive: true });
  const posted: { lines: number; whole: boolean }[] = [];
  const tail = new SessionTail(
    files,
    async (bytes) => {
      const text = Buffer.from(bytes).toString();
      if (text === '') return 'taken';
      posted.push({ lines: text.split('\n').length - 1, whole: text.endsWith('\n') });
      return 'taken';
    },
    { session: 's', offset: 0 },
  );
  const mib = (n: number): string => `${'x'.repeat(n * 1024 * 1024 - 1)}\n`;
  writeFileSync(
    join(config, 'projects', 'p', 's.jsonl'),
    mib(3) + mib(3) + mib(3) + mib(12) + mib(33) + mib(1),
  );
  await tail.finish();
  expect(posted).toEqual([
    { lines: 2, whole: true },
    { lines: 1, whole: true },
    { lines: 1, whole: true },
    { lines: 1, whole: true },
  ]);
});

it('the session of another client is not followed, and one that this client goes over to is', async () => {
  const config = makeFolder();
  const folder = join(config, 'projects', 'p');
  mkdirSync(folder, { recursive: true });
  const put = (session: string, text: string) => appendFileSync(join(folder, `${session}.jsonl`), text);
  let own = 'one';
  const posted: string[] = [];
  let asked = 0;
  const tail = new SessionTail(
    new SessionFiles(config),
    async (bytes, offset, session) => {
      if (session !== own) asked += 1;
      if (session !== own) return 'foreign';
      if (bytes.length > 0) posted.push(`${session} ${offset} ${Buffer.from(bytes)}`);
      return 'taken';
    },
    { session: own, offset: 0 },
  );
  put('one', 'a\n');
  await tail.finish();
  put('nested', 'x\n');
  put('one', 'b\n');
  for (let looks = 0; looks < 40; looks += 1) await tail.finish();
  expect(posted).toEqual(['one 0 a\n', 'one 2 b\n']);
  expect(asked).toBe(20);
  put('two', 'c\n');
  await tail.finish();
  own = 'two';
  put('two', 'd\n');
  await tail.finish();
  expect(posted.slice(2)).toEqual(['two 0 c\nd\n']);
});
