import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bash, makeWorld, write } from '../helpers/world.ts';
import { PATHS, startLoginService } from '../provider/login/service.ts';

const HOUR = 3_600_000;
const TOKENS = ['ghu_e2e0123456789abcdef', 'session-one-51-nobody-may-see', 'session-two-52-nobody-may-see'];
const [GITHUB = '', FIRST = '', SECOND = ''] = TOKENS;

/** Every file below a folder that holds the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter(
      (path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text),
    );
}

it('works with a login alone: its token is renewed while the job runs, and is seen by the endpoint only', async () => {
  const look = 'env; for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; done';
  const world = await makeWorld({
    script: [
      { calls: [bash(look), write('a.txt', 'x')] },
      { status: 401, body: { error: { message: `token expired: ${FIRST}` } } },
      // A model that repeats what it should not know.
      { text: `done with ${SECOND}` },
    ],
  });
  const service = await startLoginService();
  const now = Date.now();
  const endpoints = { api: world.model.url };
  const expires_at = Math.floor((now + HOUR) / 1000);
  service.answer(PATHS.exchange, [200, { token: SECOND, expires_at, endpoints }]);
  const folder = join(world.home, '.cc-delegate');
  const config = {
    sandbox: { allowUnsandboxed: true },
    profiles: { work: { provider: 'copilot', model: 'scripted', api: 'openai-chat' } },
  };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  const none = await world.run(['start', 'do the task', '--json']);
  expect(none.exit).toBe(6);
  expect(none.json<{ error: object }>().error).toMatchObject({
    code: 'no_login',
    remedy: 'type in a terminal: cc-delegate auth login work',
  });

  const session = { token: FIRST, expiresAt: now + HOUR, gotAt: now, baseUrl: world.model.url };
  const work = { kind: 'copilot', endpoints: service.endpoints.copilot, githubToken: GITHUB, session };
  writeFileSync(
    join(folder, 'credentials.json'),
    JSON.stringify({ schema: 1, profiles: {}, providers: {}, logins: { work } }),
    { mode: 0o600 },
  );
  const id = await world.start();
  expect(await world.ended(id)).toMatchObject({ state: 'succeeded' });

  const sent = world.model.requests.map(({ headers }) => headers.authorization);
  expect(sent).toEqual([`Bearer ${FIRST}`, `Bearer ${FIRST}`, `Bearer ${SECOND}`]);
  expect(world.model.requests[0]?.headers).toMatchObject({
    'copilot-integration-id': 'vscode-chat',
    'x-initiator': 'user',
  });
  expect(world.model.requests[2]?.headers['x-initiator']).toBe('agent');
  expect(service.to(PATHS.exchange)).toHaveLength(1);
  expect(service.to(PATHS.exchange)[0]?.headers.authorization).toBe(`token ${GITHUB}`);
  // The look did see something: else the rest proves nothing.
  expect(world.model.requests[2]?.text).toContain('CC_DELEGATE_WORKER=1');
  const shown = await world.run(['result', id]);
  expect(shown.stdout).toContain('done with');
  for (const token of TOKENS) {
    expect(world.model.requests[2]?.text).not.toContain(token);
    expect(filesWith(join(world.repository, '.cc-delegate'), token)).toEqual([]);
    expect(filesWith(world.state, token)).toEqual([]);
    expect(shown.stdout).not.toContain(token);
  }
  expect(filesWith(folder, SECOND)).toEqual([join(folder, 'credentials.json')]);
  expect((statSync(join(folder, 'credentials.json')).mode & 0o777).toString(8)).toBe('600');
});
