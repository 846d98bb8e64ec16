import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NotFull } from '../../../src/workspace/sandbox/explain.ts';
import { levelsHere, makeSandbox, textOf } from './helpers.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = join(import.meta.dirname, 'fixtures/level-run.ts');
const TSX = join(ROOT, 'node_modules/tsx/dist/loader.mjs');
const RUN = [process.execPath, '--import', TSX, PROGRAM] as const;

interface Answer {
  readonly level: string;
  readonly notFull: NotFull | null;
  readonly wish: string;
}

/** Runs a program where /usr/bin/bwrap cannot be executed. */
const WITHOUT_BWRAP = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--mount', 'sh', '-c', 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"', 'sh'],
];

describe.runIf((await levelsHere()).includes('full'))('level full', () => {
  it('is what there is, and is granted', () => {
    const answer: Answer = JSON.parse(execFileSync(RUN[0], RUN.slice(1), { encoding: 'utf8' }));
    expect(answer).toEqual({ level: 'full', notFull: null, wish: 'granted' });
  });

  it('is refused, not lowered, where bubblewrap is missing; and the remedy is named', () => {
    const [program = '', ...args] = [...WITHOUT_BWRAP, ...RUN];
    const answer: Answer = JSON.parse(execFileSync(program, args, { encoding: 'utf8' }));
    expect(answer).toMatchObject({ level: 'process', wish: 'sandbox_unavailable' });
    expect(answer.notFull?.remedy).toMatch(/apt-get install bubblewrap/);
  });

  it('is refused, not lowered, where bubblewrap may not work: inside of itself', async () => {
    const { run } = await makeSandbox('full', { readable: [ROOT] });
    const { stdout, stderr } = await run(RUN);
    const answer: Answer = JSON.parse(textOf(stdout) || textOf(stderr));
    expect(answer).toMatchObject({ level: 'none', wish: 'sandbox_unavailable' });
    expect(answer.notFull?.why).toMatch(/bubblewrap does not work: bwrap: /);
  });
});
