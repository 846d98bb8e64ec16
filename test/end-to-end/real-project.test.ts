import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

const SOUND = '      } else if (text[at + 1] === quote) {\n        field += quote;\n        at += 1;\n';
const BROKEN = '      } else if (text[at + 1] === quote) {\n        field += quote;\n';

/** The project's own tests, as its user runs them. */
function ownTests(folder: string): { passes: boolean; fails: number } {
  const run = spawnSync(process.execPath, ['--test'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return { passes: run.status === 0, fails: Number(/^# fail (\d+)/m.exec(run.stdout)?.[1] ?? -1) };
}

it('mends a project with tests of its own through bash, read, grep, edit and write', async () => {
  const world = await makeWorld({
    prepare: (repository) => {
      cpSync('test/fixtures/project', repository, { recursive: true });
      const parser = join(repository, 'src/parse.js');
      const text = readFileSync(parser, 'utf8');
      expect(text).toContain(SOUND);
      writeFileSync(parser, text.replace(SOUND, BROKEN));
      execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: repository });
      git(repository, 'add', '-A');
      git(repository, 'commit', '-q', '-m', 'ledger-csv with a fault');
    },
    script: [
      { thinking: 'Which tests fail?', calls: [bash('node --test | grep -E "^(not ok|# fail)"')] },
      {
        calls: [
          { name: 'grep', args: { pattern: 'quote', path: 'src', glob: '*.js' } },
          { name: 'glob', args: { pattern: 'src/**/*.js' } },
        ],
      },
      { calls: [{ name: 'read', args: { path: 'src/parse.js', offset: 40, limit: 20 } }] },
      { calls: [{ name: 'edit', args: { path: 'src/parse.js', oldText: BROKEN, newText: SOUND } }] },
      { calls: [write('CHANGES.md', '# 1.0.1\n\nA doubled quote is one quote again.\n')] },
      { calls: [bash('node --test | grep -E "^# (pass|fail)"')] },
      { text: 'A doubled quote moved on by one character only; mended, all tests pass.' },
    ],
  });
  expect(ownTests(world.repository).passes).toBe(false);
  const started = await world.run([
    'start',
    'The tests fail since yesterday: mend the parser.',
    '--test',
    'npm test',
    '--json',
  ]);
  expect(started.json()).toMatchObject({ preflight: { verdict: 'fails', ran: true } });
  const { id } = started.json<{ id: never }>();
  const record = await world.ended(id);
  expect(record).toMatchObject({ state: 'succeeded', result: { files: 2, tests: { exitCode: 0 } } });
  expect((await world.run(['diff', id, '--name-only'])).stdout.split('\n').filter(Boolean)).toEqual([
    'CHANGES.md',
    'src/parse.js',
  ]);
  expect((await world.run(['apply', id])).exit).toBe(0);
  expect(ownTests(world.repository)).toEqual({ passes: true, fails: 0 });
  expect(git(world.repository, 'status', '--porcelain')).toBe('A  CHANGES.md\nM  src/parse.js');
});
