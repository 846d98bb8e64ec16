import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verb as doctor } from '../../../src/cli/doctor.ts';
import { makeFolder, makeRepository } from '../../helpers/repository.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  readonly remedy: string | null;
}

/** What the doctor says of the engine with these settings, in a repository that may bring a client. */
async function said(
  settings: object,
  clients: Readonly<Record<string, string>>,
  shown = 'claude engine',
): Promise<Check[]> {
  const home = makeFolder();
  mkdirSync(join(home, 'repository'));
  makeRepository({ 'README.md': 'hello\n' }, join(home, 'repository'));
  for (const [folder, version] of Object.entries(clients)) {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, 'claude'), `#!/bin/sh\necho '${version} (Claude Code)'\n`);
    chmodSync(join(home, folder, 'claude'), 0o755);
  }
  const userDir = join(home, '.cc-delegate');
  mkdirSync(userDir, { mode: 0o700 });
  const text = JSON.stringify(settings).replaceAll('HOME', home);
  writeFileSync(join(userDir, 'config.yaml'), text, { mode: 0o600 });
  const PATH = [...Object.keys(clients).map((folder) => join(home, folder)), '/usr/bin', '/bin'].join(':');
  const { json } = await doctor.run({
    args: [],
    cwd: join(home, 'repository'),
    env: { HOME: home, CC_DELEGATE_HOME: userDir, CC_DELEGATE_STATE: join(home, 'state'), PATH },
    json: true,
    program: '',
    consent: null,
    stdin: process.stdin,
    stderr: () => undefined,
    stdout: () => undefined,
  });
  const { checks } = json as { checks: Check[] };
  return checks
    .filter(({ name }) => name === shown)
    .map((each) => ({ ...each, text: each.text.replaceAll(home, 'HOME') }));
}

const profile = (engine?: string) => ({
  profiles: { p: { provider: 'ollama', model: 'm', ...(engine && { engine }) } },
});

it.each<{ what: string; settings: object; clients: Record<string, string>; wanted: object[] }>([
  {
    what: 'nothing where no setting asks for that engine',
    settings: profile('native'),
    clients: { bin: '2.1.332' },
    wanted: [],
  },
  { what: 'nothing of settings that cannot be read', settings: [], clients: { bin: '2.1.332' }, wanted: [] },
  {
    what: 'what a profile of that engine would start',
    settings: profile('claude'),
    clients: { bin: '2.1.332' },
    wanted: [{ ok: true, text: 'Claude Code 2.1.332 (HOME/bin/claude)' }],
  },
  {
    what: 'that the one of the repository is not taken',
    settings: profile('claude'),
    clients: { 'repository/bin': '2.1.332', bin: '2.1.333' },
    wanted: [{ ok: true, text: 'Claude Code 2.1.333 (HOME/bin/claude)' }],
  },
  {
    what: 'that the one the user has named is too old',
    settings: { claude: { path: 'HOME/old/claude' } },
    clients: { bin: '2.1.332', old: '2.1.100' },
    wanted: [
      {
        ok: false,
        text: 'Claude Code 2.1.100 is too old for the claude engine; HOME/old/claude',
        remedy: expect.stringContaining('claude update'),
      },
    ],
  },
  {
    what: 'that there is none',
    settings: profile('claude'),
    clients: {},
    wanted: [{ ok: false, remedy: expect.stringContaining('claude.path') }],
  },
])('the doctor says $what', async ({ settings, clients, wanted }) => {
  expect(await said(settings, clients)).toMatchObject(wanted);
});

it.each([
  { what: 'of another protocol', own: { provider: 'ollama', model: 'm', engine: 'claude' }, ok: false },
  { what: 'of another protocol, for our own loop', own: { provider: 'ollama', model: 'm' }, ok: true },
  { what: 'of its protocol', own: { provider: 'anthropic', model: 'm', engine: 'claude' }, ok: true },
])('the doctor looks whether the engine can use the endpoint: one $what', async ({ own, ok }) => {
  const checks = await said({ profiles: { p: own } }, { bin: '2.1.332' }, 'engine of p');
  const wrong = {
    ok: false,
    text: expect.stringContaining('the claude engine needs an endpoint that speaks the Anthropic protocol'),
    remedy: expect.stringContaining('--engine native'),
  };
  expect(checks).toMatchObject(ok ? [] : [wrong]);
});
