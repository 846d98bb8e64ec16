import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSandbox } from '../../../src/workspace/sandbox/open.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { freshJobId, type Level, levelsHere, textOf } from './helpers.ts';

const levels = await levelsHere();

/** Below the user's home. */
const HOME_FILES = [
  '.ssh/id_ed25519',
  '.ssh/known_hosts',
  '.gnupg/private-keys-v1.d/key',
  '.aws/credentials',
  '.azure/accessTokens.json',
  '.config/gcloud/credentials.db',
  '.config/gh/hosts.yml',
  '.kube/config',
  '.docker/config.json',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.gitconfig',
  '.bash_history',
  '.bashrc',
  '.env',
  '.cargo/credentials.toml',
  '.cargo/config.toml',
  '.pyenv/secret',
  '.claude/.credentials.json',
  '.cc-delegate/config.yaml',
  '.cc-delegate/credentials.json',
  '.cc-delegate/slots/0',
  'notes.txt',
];
/** Below the user's checkout. */
const CHECKOUT_FILES = [
  '.env',
  'src/index.js',
  '.git/config',
  '.git/HEAD',
  '.git/hooks/pre-commit',
  '.cc-delegate/jobs/t_other.json',
  '.cc-delegate/runs/t_other/transcript.ndjson',
];
/** Below the folder of all jobs. */
const JOB_FILES = [
  'other/work/file',
  'other/home/file',
  'other/tmp/file',
  'own/marker.json',
  'own/collector/HEAD',
  'own/gate/checkout/file',
  'runtime/runner.mjs',
];

interface Host {
  readonly folder: string;
  readonly objects: string;
  readonly own: string;
  readonly files: readonly string[];
}

function makeHost(): Host {
  const folder = makeFolder();
  const [home, checkout, state] = ['home', 'project', 'state'].map((name) => join(folder, name));
  const below = (top = '', names: readonly string[] = []) => names.map((name) => join(top, name));
  const files = [...below(home, HOME_FILES), ...below(checkout, CHECKOUT_FILES), ...below(state, JOB_FILES)];
  const objects = join(folder, 'project/.git/objects');
  const tools = ['home/.cargo/bin', 'home/.pyenv/versions', 'state/own/work'].map((name) =>
    join(folder, name),
  );
  for (const each of [objects, ...tools]) mkdirSync(each, { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'secret');
  }
  return { folder, objects, own: join(folder, 'state/own'), files };
}

async function openOn(host: Host, level: Level) {
  const sandbox = await openSandbox({
    jobId: freshJobId(),
    workspace: join(host.own, 'work'),
    home: join(host.own, 'home'),
    temp: join(host.own, 'tmp'),
    levelWanted: level,
    passEnv: {},
    readable: [host.objects],
    callerEnv: { ...process.env, HOME: join(host.folder, 'home'), OPENROUTER_API_KEY: 'secret' },
  });
  onTestFinished(async () => {
    await sandbox.dispose();
  });
  return (argv: readonly [string, ...string[]]) =>
    sandbox.run({ argv, cwd: join(host.own, 'work'), timeoutMs: 20_000 });
}

/** Prints those of its arguments that can be read. */
const READ = 'for path; do head -c 1 "$path" >/dev/null 2>&1 && echo "$path"; done; true';

describe('from inside', () => {
  const theirs = [
    `/proc/${process.pid}/environ`,
    `/proc/${process.ppid}/environ`,
    `/proc/${process.pid}/root/etc/passwd`,
  ];
  const systems = [
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/sudoers',
    '/etc/ssh/sshd_config',
    '/etc/npmrc',
    '/etc/machine-id',
  ];

  it.runIf(levels.includes('full'))('nothing of the host is readable at level full', async () => {
    const host = makeHost();
    const run = await openOn(host, 'full');
    const forbidden = [
      ...host.files,
      ...theirs,
      ...systems,
      '/sys/kernel',
      '/var/log',
      '/root/.bashrc',
      '/dev/kmsg',
    ];
    expect(forbidden.length).toBeGreaterThanOrEqual(40);
    const { stdout } = await run(['bash', '-c', READ, 'bash', ...forbidden]);
    expect(textOf(stdout)).toBe('');
    const all = await run(['bash', '-c', 'cat /proc/*/environ /proc/*/cmdline; env']);
    expect(textOf(all.stdout)).not.toContain('secret');
  });

  it('all of it is at level none, so that the test above can fail', async () => {
    const host = makeHost();
    const run = await openOn(host, 'none');
    const { stdout } = await run(['bash', '-c', READ, 'bash', ...host.files, ...theirs]);
    expect(textOf(stdout).trim().split('\n')).toEqual([...host.files, ...theirs]);
  });

  it.each(levels)('who listens on the host is reached at level %s, unless that is full', async (level) => {
    const host = makeHost();
    const run = await openOn(host, level);
    const listening = await listenAll(host);
    const { stdout } = await run([process.execPath, '-e', CONNECT, JSON.stringify(listening)]);
    expect(JSON.parse(textOf(stdout))).toEqual(level === 'full' ? [] : listening);
  });
});

/** Prints, as JSON, those of the addresses that take a connection. */
const CONNECT = `
const { connect } = require('node:net');
const tries = JSON.parse(process.argv[1]).map((address) => new Promise((resolve) => {
  const socket = connect(address);
  socket.once('connect', () => { socket.destroy(); resolve([address]); });
  socket.once('error', () => resolve([]));
}));
Promise.all(tries).then((found) => console.log(JSON.stringify(found.flat())));`;

/** Five ways to listen: beside the job, in the home, in the checkout, by an abstract name, by TCP. */
async function listenAll({ folder }: Host): Promise<object[]> {
  const paths = ['agent.sock', 'home/agent.sock', 'project/.git/objects/../daemon.sock'];
  const unix = [...paths.map((path) => join(folder, path)), `\0${folder}`];
  const addresses: object[] = [];
  for (const path of unix) {
    await listen(createServer(), { path });
    addresses.push({ path });
    if (!path.startsWith('\0')) chmodSync(realpathSync(path), 0o777);
  }
  const tcp = createServer();
  await listen(tcp, { host: '127.0.0.1', port: 0 });
  const address = tcp.address();
  if (typeof address === 'string' || address === null) throw new Error('no port');
  return [...addresses, { host: '127.0.0.1', port: address.port }];
}

async function listen(
  server: Server,
  where: { path: string } | { host: string; port: number },
): Promise<void> {
  server.listen(where);
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
}
