import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { needsClient } from './client.ts';
import { openSession } from './session.ts';

const KEY = 'sk-or-planted-4b1d0ffee4b1d0ffee';

/** Every file below a folder that holds the text. */
function holding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path).includes(text);
  });
}

it('takes the key of the plugin’s settings over; no transcript, log or request holds it', async (test) => {
  const session = await openSession({ client: needsClient(test), scenario: () => 'noted', worker: [] });
  await session.terminal.close();
  // As the client keeps what was entered in its dialog for a plugin's sensitive setting.
  const secrets = { pluginSecrets: { 'cc-delegate@inline': { api_key: KEY } } };
  const file = join(session.home.home, '.claude', '.credentials.json');
  writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
  const first = await session.another();
  await first.waitForScreen(/the key from the plugin's settings is being taken over for openrouter/);
  const saved = join(session.home.userDirectory, 'credentials.json');
  await vi.waitUntil(() => existsSync(saved), { timeout: 30_000 });
  await first.close();
  const terminal = await session.another();
  await terminal.waitForScreen(/the key from the plugin's settings is taken over for openrouter/);
  await terminal.submit('hello');
  await terminal.waitForScreen(/noted/);
  await terminal.close();
  expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ providers: { openrouter: { key: KEY } } });
  expect(holding(session.home.home, KEY).sort()).toEqual([
    '.cc-delegate/credentials.json',
    '.claude/.credentials.json',
  ]);
  expect(holding(session.world.repository, KEY)).toEqual([]);
  expect(session.supervisor.requests.map(({ request }) => request.text).join('')).not.toContain(KEY);
});
