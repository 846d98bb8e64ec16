import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bash, makeWorld, write } from '../helpers/world.ts';

const KEY = 'sk-test-51-a-key-nobody-may-see';

/** Every file below a folder that holds the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter(
      (path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text),
    );
}

it('hands the key to the endpoint, and to nothing else: no command, argument, file or later request has it', async () => {
  const look =
    'env; cat /proc/$PPID/environ /proc/1/environ; for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; done';
  const world = await makeWorld({ script: [{ calls: [bash(look), write('a.txt', 'x')] }, { text: 'done' }] });
  const saved = await world.run(['config', 'key', 'set', 'test'], { input: `${KEY}\n` });
  expect(saved).toMatchObject({ exit: 0 });
  const secret = {
    OPENAI_API_KEY: 'sk-another',
    DATABASE_URL: 'postgres://u:hunter2@h/d',
    SSH_AUTH_SOCK: '/tmp/agent',
  };
  const id = await world.start(['--test', 'env; cat /proc/1/environ; test -e a.txt || exit 1'], {
    env: secret,
  });
  const record = await world.ended(id);
  expect(record).toMatchObject({ state: 'succeeded' });

  const [first, second] = world.model.requests;
  expect(first?.headers.authorization).toBe(`Bearer ${KEY}`);
  // The look did see something: else the rest proves nothing.
  expect(second?.text).toContain('CC_DELEGATE_WORKER=1');
  for (const hidden of [KEY, 'sk-another', 'hunter2', '/tmp/agent']) {
    expect(second?.text, hidden).not.toContain(hidden);
    expect(filesWith(join(world.repository, '.cc-delegate'), hidden)).toEqual([]);
    expect(filesWith(world.state, hidden)).toEqual([]);
  }
});
