import { expect, it } from 'vitest';
import { git } from '../helpers/repository.ts';
import { makeWorld, write } from '../helpers/world.ts';

it('lets a session look and start within the settings, and leaves the rest to the user', async () => {
  const world = await makeWorld({ script: [{ calls: [write('a.txt', 'x')] }, { text: 'done' }] });
  const env = { CLAUDECODE: '1' };
  for (const beyond of [
    ['--budget', '6'],
    ['--model', 'other'],
    ['--pass-env', 'SECRET'],
    ['--network', 'full'],
  ]) {
    const refused = await world.run(['start', 'x', '--json', ...beyond], { env });
    expect(refused.exit, beyond.join(' ')).toBe(5);
    expect(refused.json()).toMatchObject({ error: { code: 'needs_the_user' } });
  }
  const id = await world.start(['--budget', '4'], { env });
  await world.ended(id);
  expect((await world.run(['apply', id, '--check'], { env })).exit).toBe(0);
  expect((await world.run(['apply', id], { env })).exit).toBe(5);
  expect((await world.run(['undo', id], { env })).exit).toBe(5);
  expect(git(world.repository, 'status', '--porcelain')).toBe('');
});
