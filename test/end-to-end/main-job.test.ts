import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../src/job/receipt.ts';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

const FIXES_IT = [
  { calls: [write('out.txt', 'right\n')] },
  { calls: [bash('cat out.txt')] },
  { text: 'out.txt says right' },
];

/** The store, and what is in it of a job, is for the user alone. */
function expectPrivate(store: string, id: string): void {
  expect(statSync(store).mode & 0o777).toBe(0o700);
  for (const file of [
    `jobs/${id}.json`,
    `runs/${id}/events.ndjson`,
    `runs/${id}/receipt.json`,
    `runs/${id}/transcript.ndjson`,
  ]) {
    expect(statSync(join(store, file)).mode & 0o077, file).toBe(0);
  }
}

describe('a delegation from start to applied diff', () => {
  it.each(['openai-chat', 'anthropic'] as const)(
    'ends with a tested diff that applies and comes off again; its status is cheap, its files are of the user alone (%s)',
    async (api) => {
      const world = await makeWorld({ script: FIXES_IT, api });
      const before = readFileSync(join(world.repository, '.git/index'));
      const started = await world.run([
        'start',
        'make out.txt say right',
        '--test',
        'grep -q right out.txt',
        '--json',
      ]);
      expect(started.exit).toBe(0);
      const id = started.json<{ id: string; preflight: { verdict: string } }>();
      expect(id.preflight.verdict).toBe('fails');
      const record = await world.ended(id.id as never);
      expect(record).toMatchObject({ state: 'succeeded', reason: null, disposition: 'none' });
      expect(record.result).toMatchObject({ files: 1, tests: { exitCode: 0 } });
      expect(git(world.repository, 'status', '--porcelain')).toBe('');
      expect(git(world.repository, 'rev-parse', record.branch)).toBe(record.result?.commit);

      const result = await world.run(['result', record.id, '--json']);
      expect(result.exit).toBe(0);
      expect(result.json()).toMatchObject({
        state: 'succeeded',
        summary: 'out.txt says right',
        filesChanged: [{ path: 'out.txt', status: 'A' }],
        tests: { exitCode: 0, before: { exitCode: 2 } },
      });
      const receipt = JSON.parse(
        readFileSync(result.json<{ receiptPath: string }>().receiptPath, 'utf8'),
      ) as Receipt;
      expect(receipt.commit).toBe(record.result?.commit);
      expect(git(world.repository, 'rev-parse', `${receipt.commit}^{tree}`)).toBe(receipt.tree);

      // The cheap status, with the next thing to type.
      const { stdout } = await world.run(['status', record.id, '--json']);
      expect(stdout.length).toBeLessThanOrEqual(600);
      expect(JSON.parse(stdout)).toMatchObject({
        id: record.id,
        state: 'succeeded',
        done: true,
        next: expect.stringContaining('apply'),
      });
      expectPrivate(join(world.repository, '.cc-delegate'), record.id);

      const applied = await world.run(['apply', record.id]);
      expect(applied).toMatchObject({ exit: 0, stderr: '' });
      expect(git(world.repository, 'status', '--porcelain')).toBe('A  out.txt');
      const again = await world.run(['apply', record.id]);
      expect(again.exit).toBe(0);
      expect(again.stdout).toContain('already');
      expect((await world.run(['undo'])).exit).toBe(0);
      expect(existsSync(join(world.repository, 'out.txt'))).toBe(false);
      expect(readFileSync(join(world.repository, '.git/index')).equals(before)).toBe(true);
    },
  );

  it.each(['openai-chat', 'anthropic'] as const)(
    'asks for the first step in at most 6 KB, with every tool (%s)',
    async (api) => {
      const world = await makeWorld({ script: FIXES_IT, api });
      await world.ended(
        await world.start([
          ...['--test', 'true #npm', '--done', 'all tests pass', '--max-grades', '0', '--ask-timeout', '0'],
        ]),
      );
      const [first] = world.model.requests;
      const tools = (first?.body.tools ?? []) as unknown[];
      expect(tools).toHaveLength(10);
      expect(Buffer.byteLength(first?.text ?? '')).toBeLessThanOrEqual(6 * 1024);
      expect(first?.role).toBe('worker');
    },
  );
});
