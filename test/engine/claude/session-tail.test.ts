import { mkdirSync, writeFileSync } from 'node:fs';
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
      posted.push({ lines: text.split('\n').length - 1, whole: text.endsWith('\n') });
      return true;
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
