import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
        calls: [
          bash(
            'cat secrets/recipe.md; git show HEAD:secrets/recipe.md; cp secrets/recipe.md b.txt; nl b.txt',
          ),
        ],
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
