import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { Writable } from 'node:stream';
import { bubblewrapOptions } from '../../../src/workspace/sandbox/bubblewrap.ts';
import type {
  Argv,
  CommandPlace,
  Containment,
  JobPlace,
} from '../../../src/workspace/sandbox/containment.ts';
import { viewHost } from '../../../src/workspace/sandbox/host-view.ts';
import type { Option } from '../../../src/workspace/sandbox/mounts.ts';
import { runCommand } from '../../../src/workspace/sandbox/run-command.ts';

// Shared by the test and by scripts/mutate-sandbox.ts: what each bind and flag is for, as something that can be
// seen from inside (or, for two of them, from outside).

/** A job on real folders, and what of the host it must not reach. */
export interface Scene {
  readonly place: JobPlace;
  readonly command: CommandPlace;
  readonly granted: string;
  close(): void;
}

const FOLDERS = ['work', 'home', 'temp', 'objects', 'granted', 'shown', 'hidden'];

export async function makeScene(folder: string): Promise<Scene> {
  const at = (name: string): string => join(folder, name);
  for (const name of FOLDERS) mkdirSync(at(name), { mode: 0o700 });
  for (const name of ['objects', 'granted', 'shown']) writeFileSync(join(at(name), 'file'), name);
  writeFileSync(at('secret'), 'secret');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const memory = /id: (\d+)/.exec(execFileSync('ipcmk', ['-M', '64'], { encoding: 'utf8' }))?.[1] ?? '';
  const place: JobPlace = {
    workspace: at('work'),
    home: at('home'),
    temp: at('temp'),
    readable: [at('objects')],
    network: 'none',
    environment: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: at('home'),
      TMPDIR: at('temp'),
      CARGO_HOME: join(folder, 'cargo'),
      PROBE_FOLDER: folder,
      PROBE_NAME: `${basename(folder)}.made`,
      PROBE_PORT: String(port),
      PROBE_PID: String(process.pid),
    },
  };
  mkdirSync(join(folder, 'cargo', 'bin'), { recursive: true });
  return {
    place,
    command: { cwd: at('work'), writable: [at('granted')], readable: [at('shown')] },
    granted: at('granted'),
    close() {
      server.close();
      execFileSync('ipcrm', ['-m', memory]);
      for (const path of litter(basename(folder))) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** What the probes make where nothing holds them. */
function litter(name: string): string[] {
  return [`/tmp/${name}.made`, `/${name}.made`];
}

/** Every option that stands between the command and the host. */
export function optionsOf({ place, command }: Scene): Option[] {
  return bubblewrapOptions(viewHost(place.environment, place.network), place, command);
}

/** Fails when it is red. `$PROBE_FOLDER` is the scene's. */
const INSIDE: Readonly<Record<string, string>> = {
  'processes of its own': '[ "$PPID" = 1 ] && [ ! -d "/proc/$PROBE_PID" ]',
  'a session of its own': `[ "$(awk '{print $6}' /proc/self/stat)" = 1 ]`,
  'no capability': '! grep -E "^Cap(Prm|Eff|Bnd):\\s*[0-9a-f]*[1-9a-f]" /proc/self/status',
  'no further user namespace': '! unshare --user true',
  'no remount of the system': '! mount -o remount,bind,rw /usr',
  'no remount of the objects': '! mount -o remount,bind,rw "$PROBE_FOLDER/objects"',
  'no device but loopback': '[ "$(grep -c : /proc/net/dev)" = 1 ] && grep -q lo: /proc/net/dev',
  'no way to a port of the host': '! (exec 9<>"/dev/tcp/127.0.0.1/$PROBE_PORT")',
  'localhost by name': 'getent hosts localhost && getent hosts "$(hostname)"',
  'no shared memory of the host': '[ "$(wc -l </proc/sysvipc/shm)" = 1 ]',
  'a host name of its own': '[ "$(hostname)" = sandbox ]',
  'no control group of the host': '! grep -v ":/$" /proc/self/cgroup',
  '/proc': '[ -r /proc/self/status ]',
  'no setting of the kernel to write': '[ ! -w /proc/sys/kernel/core_pattern ] && [ ! -w /proc/sys/vm ]',
  'harmless devices': '[ -c /dev/null ] && head -c1 /dev/urandom && [ ! -e /dev/kmsg ] && [ ! -e /dev/mem ]',
  'an empty /run': '[ -d /run ] && [ -z "$(ls -A /run)" ]',
  '/var/tmp': '[ -w /var/tmp ]',
  '/tmp': ': >"/tmp/$PROBE_NAME" && [ "$(stat -c %a /tmp)" != 755 ]',
  'a system that cannot be written': '[ ! -w / ] && [ ! -w /usr ] && ! mkdir "/$PROBE_NAME"',
  'a shell at /bin/sh': '/bin/sh -c true',
  'libraries at /lib': '[ -d /lib/. ]',
  'programs at /sbin': '[ -d /sbin/. ]',
  'its folder': '[ "$PWD" = "$PROBE_FOLDER/work" ]',
  'its workspace': ': >"$PROBE_FOLDER/work/made"',
  'its home': ': >"$HOME/made"',
  'its temporary folder': ': >"$TMPDIR/made"',
  'what it was granted': ': >"$PROBE_FOLDER/granted/made"',
  'what it was shown, unwritable': 'f="$PROBE_FOLDER/shown/file"; [ -r "$f" ] && [ ! -w "$f" ]',
  'the objects, unwritable': 'f="$PROBE_FOLDER/objects/file"; [ -r "$f" ] && [ ! -w "$f" ]',
  'nothing beside them': '[ ! -e "$PROBE_FOLDER/secret" ]',
};

const LIMIT_MS = 20_000;

/** The names of the probes that are red. A containment that does not even start is red for all of them. */
export async function redProbes(containment: Containment, scene: Scene): Promise<string[]> {
  const probes = { ...INSIDE, ...sights(scene) };
  const script = Object.entries(probes)
    .map(([name, test]) => `(${test}) >/dev/null 2>&1 || echo '${name}'`)
    .join('\n');
  const red = await printedBy(containment, scene, ['bash', '-c', `${script}\necho end`]);
  if (red.at(-1) !== 'end') return ['(does not start)'];
  return [...red.slice(0, -1), ...kept(scene), ...(await outside(containment, scene))];
}

/** Everything that is mounted to be read has to be there. */
function sights(scene: Scene): Record<string, string> {
  const mounts = optionsOf(scene).map(([option, from, at = '']) => ({ option, from, at }));
  const places = mounts.filter(({ option }) => option === '--ro-bind-try').map(({ at }) => at);
  const links = mounts.filter(({ option, at }) => option === '--symlink' && at.startsWith('/etc/'));
  const masks = mounts.filter(({ from }) => from === '/dev/null').map(({ at }) => at);
  return Object.fromEntries([
    ...places.map((at) => [`${at} is seen, unwritable`, `[ -e '${at}' ] && [ ! -w '${at}' ]`] as const),
    ...links.map(({ at }) => [`${at} is seen`, `[ -e '${at}' ]`] as const),
    ...masks.map((at) => [`${at} is hidden`, `[ ! -s '${at}' ]`] as const),
  ]);
}

/** What was made inside is there outside, or is not. */
function kept({ place, granted }: Scene): string[] {
  const red: string[] = [];
  for (const folder of [place.workspace, place.home, place.temp, granted]) {
    if (!readdirSync(folder).includes('made')) red.push(`${folder} is kept`);
  }
  const name = basename(join(granted, '..'));
  if (litter(name).some((path) => existsSync(path))) red.push('nothing is made on the host');
  const sharesTmp = !place.temp.startsWith('/tmp/');
  if (sharesTmp && !existsSync(join(place.temp, `${name}.made`))) red.push("/tmp is the job's own");
  return red;
}

async function outside(containment: Containment, scene: Scene): Promise<string[]> {
  const red: string[] = [];
  const given = Object.keys({ ...containment.environment, PWD: '', SHLVL: '', _: '', OLDPWD: '' });
  const seen = (await printedBy(containment, scene, ['env'])).map((line) => line.split('=')[0] ?? '');
  if (seen.some((name) => !given.includes(name))) red.push('the environment is what was given');
  const elsewhere = { ...scene, command: { ...scene.command, cwd: join(scene.granted, '../hidden') } };
  if ((await printedBy(containment, elsewhere, ['pwd'])).length > 0) red.push('it starts nowhere else');
  if (await outlivesItsParent(containment, scene)) red.push('it dies with its parent');
  return red;
}

async function printedBy(containment: Containment, scene: Scene, argv: Argv): Promise<string[]> {
  try {
    const { cwd, writable, readable } = scene.command;
    const { stdout } = await runCommand({
      command: { argv, cwd, writable, readable, timeoutMs: LIMIT_MS },
      containment,
      pace: { graceMs: 300, drainMs: 300 },
      clear: async () => undefined,
    });
    return Buffer.from(stdout.bytes).toString().trim().split('\n');
  } catch {
    // It did not start: whatever the reason, nothing was seen.
    return [];
  }
}

let sleeps = 0;

/** A parent that is killed while the command runs. */
async function outlivesItsParent(containment: Containment, scene: Scene): Promise<boolean> {
  sleeps += 1;
  const sleep = `3${process.pid}.${sleeps}`;
  const wrapped = containment.wrap(['sleep', sleep], scene.command);
  const parent = spawn('sh', ['-c', '"$@" & wait', 'sh', ...wrapped], {
    cwd: scene.command.cwd,
    env: { ...containment.environment },
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...containment.feeds.map(() => 'pipe' as const)],
  });
  for (const [index, text] of containment.feeds.entries()) {
    const stream = parent.stdio[4 + index];
    if (!(stream instanceof Writable)) throw new Error('a feed has no pipe');
    stream.on('error', () => {
      // It is not read when a change keeps it from starting; then nothing comes up, which is seen below.
    });
    stream.end(text);
  }
  const alive = (): string[] => sleeping(sleep);
  const came = await within(5_000, () => alive().length > 0);
  parent.kill('SIGKILL');
  const went = came && (await within(1_000, () => alive().length === 0));
  for (const pid of alive()) process.kill(Number(pid), 'SIGKILL');
  return !went;
}

function sleeping(seconds: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
    } catch {
      // It ended while we looked.
      return false;
    }
  });
}

async function within(limitMs: number, holds: () => boolean): Promise<boolean> {
  const until = Date.now() + limitMs;
  while (!holds()) {
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
