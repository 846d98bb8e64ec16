import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runPaths } from '../../src/store/paths.ts';
import { bash, makeWorld, type World } from '../helpers/world.ts';

const RECIPE = 'the recipe is 7 parts salt';
const EARLIER = 'the recipe was 5 parts salt';

function setNeverSend(world: World): void {
  const file = join(world.home, '.cc-delegate', 'config.yaml');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, neverSend: ['secrets/**'] }));
}

it('what is never sent is in no request, whatever the worker does to read it, and stays for the tests', async () => {
  const world = await makeWorld({
    files: { 'secrets/recipe.md': `${RECIPE}\n`, 'a.txt': 'hello\n' },
    script: [
      { calls: [{ name: 'read', args: { path: 'secrets/recipe.md' } }] },
      { calls: [{ name: 'grep', args: { pattern: 'recipe' } }] },
      {
        calls: [bash('cat secrets/recipe.md; git show HEAD:secrets/recipe.md | tee b.txt; nl b.txt')],
      },
      { calls: [{ name: 'read', args: { path: 'b.txt' } }] },
      { text: 'done' },
    ],
  });
  setNeverSend(world);
  writeFileSync(join(world.repository, 'secrets/recipe.md'), `${EARLIER}\n`);
  const id = await world.start(['--test', 'grep -q "7 parts" secrets/recipe.md']);
  expect((await world.ended(id)).state).toBe('succeeded');
  expect(world.model.requests).toHaveLength(5);
  const sent = world.model.requests.map(({ text }) => text).join('\n');
  expect(sent).toContain('is never sent to a model');
  expect(sent).toContain('[redacted:never-sent]');
  expect(sent.includes('parts salt')).toBe(false);
  expect(world.patch(id).toString()).toContain(RECIPE);
  expect(world.events(id, 'never_send')).toMatchObject([{ files: 2, lines: 2, left: [] }]);
});

it('what no line tells, a short one, bytes, a big file, is hidden from the worker’s commands and stays as it is', async () => {
  const big = `${'big secret salt '.repeat(80_000)}\n`;
  const files = {
    'secrets/short.txt': 'salt-1\n',
    'secrets/bytes.bin': Buffer.from('\0binary salt\n'),
    'secrets/big.txt': big,
    'secrets/deep/utf16.txt': Buffer.from('wide salt\n', 'utf16le'),
    'a.txt': 'hello\n',
  };
  const world = await makeWorld({
    files,
    script: [
      { calls: [bash('cat a.txt; cd secrets; cat short.txt bytes.bin deep/utf16.txt; tail -c 100 big.txt')] },
      { calls: [bash('git show HEAD:secrets/short.txt; echo x >>secrets/short.txt; mv secrets s2')] },
      { calls: [bash('cd s2; cat short.txt bytes.bin; tail -c 100 big.txt; cd ..; mv s2 secrets')] },
      { calls: [{ name: 'write', args: { path: 'secrets/short.txt', content: 'gone\n' } }] },
      { calls: [bash('git add -A; git commit -qm x; echo more >>a.txt')] },
      { text: 'done' },
    ],
  });
  setNeverSend(world);
  const id = await world.start(['--test', 'grep -q salt secrets/short.txt && test -s secrets/big.txt']);
  const ended = await world.ended(id);
  expect(ended.state).toBe('succeeded');
  const sent = world.model.requests.map(({ text }) => text).join('\n');
  expect(sent).toContain('hello');
  expect(sent).toContain('Read-only file system');
  expect(sent).toContain('the file system is read-only');
  const paths = runPaths(world.store(), id);
  const transcript = readFileSync(paths.transcript, 'utf8');
  for (const seen of [sent, transcript]) {
    expect(seen).not.toMatch(/salt-1|binary salt|secret salt|w\\0i|w\\u0000i/);
  }
  const patch = world.patch(id).toString();
  expect(patch).toContain('+more');
  expect(patch).not.toContain('secrets/');
  const notice =
    'neverSend: not recognised where git shows it: secrets/big.txt, secrets/bytes.bin, secrets/deep/utf16.txt';
  expect(world.events(id, 'ready')).toMatchObject([{ notices: expect.arrayContaining([notice]) }]);
  expect(JSON.parse(readFileSync(paths.receipt, 'utf8')).notes).toContain(notice);
});

it('a tester’s copy of the workspace hides it too, and its work is taken in', async () => {
  const world = await makeWorld({
    files: { 'secrets/short.txt': 'salt-1\n', 'secrets/bytes.bin': Buffer.from('\0binary salt\n') },
    script: {
      turns: {
        worker: [
          { calls: [{ name: 'task', args: { role: 'tester', prompt: 'test it' } }] },
          { text: 'done' },
        ],
        tester: [
          { calls: [bash('cat secrets/*; ls secrets')] },
          { calls: [{ name: 'write', args: { path: 'test/new.test.sh', content: 'exit 0\n' } }] },
          { calls: [bash('cat test/new.test.sh secrets/bytes.bin')] },
          { text: 'one test' },
        ],
      },
      end: 'error',
    },
  });
  setNeverSend(world);
  const id = await world.start(['--test', 'grep -q salt secrets/short.txt']);
  expect(await world.ended(id)).toMatchObject({ state: 'succeeded', result: { files: 1 } });
  const sent = world.model.requests.map(({ text }) => text).join('\n');
  expect(sent).toContain('bytes.bin\\nshort.txt');
  expect(sent).toMatch(/exit 0 \([^)]*\)\\nexit 0/);
  expect(sent).not.toMatch(/salt-1|binary salt/);
});

it('an ask about it hears no more', async () => {
  const world = await makeWorld({
    files: { 'secrets/recipe.md': `${RECIPE}\n`, 'a.txt': 'hello\n' },
    script: [
      { calls: [{ name: 'read', args: { path: 'secrets/recipe.md' } }] },
      { calls: [{ name: 'grep', args: { pattern: 'recipe' } }] },
      { text: 'nothing to see' },
    ],
  });
  setNeverSend(world);
  writeFileSync(join(world.repository, 'secrets/recipe.md'), `${EARLIER}\n`);
  const answer = await world.run(['ask', 'what is the recipe?', '--wait', '60s']);
  expect(answer.stdout).toContain('nothing to see');
  expect(world.model.requests.some(({ text }) => text.includes('parts salt'))).toBe(false);
  const refused = await world.run(['ask', 'and?', '--file', 'secrets/recipe.md']);
  expect([refused.exit, refused.stderr]).toEqual([5, expect.stringContaining('never sent')]);
});
