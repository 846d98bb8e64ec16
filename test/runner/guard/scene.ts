import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { git, makeFolder, makeRepository, writeFiles } from '../../helpers/repository.ts';
import type { Names } from './places.ts';

/** Where the attacks of one layer happen: for each a workspace, a remote and a user's checkout of its own. */
export interface Scene {
  readonly folder: string;
  /** Holds the workspaces, by number. */
  readonly work: string;
  /** What all of them borrow their objects from. */
  readonly objects: string;
  names(index: number): Names;
  /** What the refs and the HEAD of remote and checkout are, by number. */
  look(): string[];
}

/** `remote` gives the URL of a bare repository by its path below the scene. */
export function makeScene(count: number, remote: (bare: string) => string): Scene {
  const folder = makeFolder('cc-delegate-guard-');
  const base = makeRepository({ 'a.txt': 'one\n', 'src/b.txt': 'b\n' }, mkdirIn(folder, 'base'));
  for (const each of ['two', 'three']) {
    writeFiles(base, { 'a.txt': `${each}\n` });
    git(base, 'commit', '-qam', each);
  }
  const [three = '', two = '', one = ''] = git(base, 'log', '--format=%H').split('\n');
  writeFiles(base, { 'side.txt': 'side\n' });
  git(base, 'checkout', '-q', '-b', 'side', one);
  git(base, 'add', '-A');
  git(base, 'commit', '-qm', 'side');
  const side = git(base, 'rev-parse', 'HEAD');
  git(base, 'checkout', '-q', 'main');
  const objects = join(base, '.git/objects');
  const work = mkdirIn(folder, 'work');
  const templates = mkdirIn(folder, 'templates');
  makeClone(join(templates, 'work'), objects, { main: three });
  makeClone(join(templates, 'main'), objects, { main: three, other: two, 'delegate/J1': side });
  const bare = join(templates, 'remote');
  git(folder, 'init', '-q', '--bare', '--template=', '-b', 'main', bare);
  git(bare, 'fetch', '-q', base, `${two}:refs/heads/main`, `${one}:refs/heads/keep`);
  const paths = (index: number) => ({
    work: join(work, String(index)),
    main: join(folder, 'main', String(index)),
    bare: join(folder, 'remote', `${index}.git`),
  });
  for (let index = 0; index < count; index += 1) {
    const { work: clone, main, bare: copy } = paths(index);
    for (const [name, target] of Object.entries({ work: clone, main, remote: copy })) {
      cpSync(join(templates, name), target, { recursive: true });
    }
  }
  return {
    folder,
    work,
    objects,
    names: (index) => ({
      ...paths(index),
      remote: remote(paths(index).bare),
      commit2: side,
      commit3: two,
    }),
    look: () =>
      Array.from({ length: count }, (_, index) => {
        const { main, bare: remoteFolder } = paths(index);
        return [refsOf(join(main, '.git')), refsOf(remoteFolder)].join('\n--\n');
      }),
  };
}

function mkdirIn(folder: string, name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

function makeClone(folder: string, objects: string, branches: Readonly<Record<string, string>>): void {
  git('/', 'init', '-q', '--template=', '-b', 'main', folder);
  mkdirSync(join(folder, '.git/objects/info'), { recursive: true });
  writeFileSync(join(folder, '.git/objects/info/alternates'), `${objects}\n`);
  for (const [name, commit] of Object.entries(branches))
    git(folder, 'update-ref', `refs/heads/${name}`, commit);
  git(folder, 'config', 'user.name', 'Worker');
  git(folder, 'config', 'user.email', 'worker@example.invalid');
  git(folder, 'config', 'gc.auto', '0');
  git(folder, 'reset', '-q', '--hard');
}

/** By reading the files: hundreds of repositories are looked at. */
function refsOf(gitDirectory: string): string {
  const files = ['HEAD', 'packed-refs'].filter((name) => existsSync(join(gitDirectory, name)));
  const refs = readdirSync(join(gitDirectory, 'refs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(gitDirectory.length + 1));
  return [...files, ...refs]
    .filter((name) => !name.endsWith('.lock'))
    .toSorted()
    .map((name) => `${name}: ${readFileSync(join(gitDirectory, name), 'latin1')}`)
    .join('\n');
}

/** Writes the texts where one bash can run them all, each in its workspace, two at a time. */
export function writeDriver(scene: Scene, texts: ReadonlyMap<number, string>): string {
  for (const [index, text] of texts) writeFileSync(join(scene.work, `${index}.sh-text`), text);
  const driver = join(scene.work, 'driver');
  const numbers = [...texts.keys()].join(' ');
  writeFileSync(driver, DRIVER.replace('NUMBERS', numbers).replace('FOLDER', scene.work));
  return driver;
}

const DRIVER = `cd FOLDER || exit 1
started=0
for number in NUMBERS; do
  ( cd "$number" && exec bash -c "$(<"../$number.sh-text")" >"../$number.out" 2>&1 </dev/null ) &
  started=$((started + 1))
  [ "$started" -lt 3 ] || wait -n
done
wait
exit 0
`;

/** Runs the driver as the user would, without any sandbox. */
export function runPlainly(driver: string, env: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile('bash', [driver], { env: { ...env }, cwd: '/' }, (error) =>
      error ? reject(error) : resolve(),
    );
    child.stdin?.end();
  });
}

/** A git daemon that takes pushes, on a free port of the loopback. Returns the URL of a path. */
export async function startDaemon(): Promise<(path: string) => string> {
  const port = await freePort();
  const options = ['--export-all', '--enable=receive-pack', '--reuseaddr', '--listen=127.0.0.1'];
  const daemon = spawn('git', ['daemon', ...options, `--port=${port}`], { stdio: 'ignore', detached: true });
  const { pid } = daemon;
  if (pid === undefined) throw new Error('git daemon was not started');
  onTestFinished(() => {
    process.kill(-pid, 'SIGKILL');
  });
  const url = (path: string) => `git://127.0.0.1:${port}${path}`;
  const probe = makeRepository();
  for (let tries = 0; tries < 100; tries += 1) {
    if (await answers(url(`${probe}/.git`))) return url;
    await sleep(25);
  }
  throw new Error('git daemon does not answer');
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('git', ['ls-remote', url], { timeout: 5_000 }, (error) => resolve(error === null));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else server.close(() => resolve(address.port));
    });
  });
}
