import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../helpers/repository.ts';
import { type Content, type Tree, writeTree } from './scene.ts';

export type Random = (below: number) => number;

/** mulberry32: small, and the same numbers for the same seed everywhere. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const LINES = 14;

export function text(change: ReadonlyMap<number, string> = new Map(), end = '\n'): string {
  return Array.from({ length: LINES }, (_, at) => (change.get(at) ?? `line ${at}`) + end).join('');
}

export const BASE: Tree = {
  'a.txt': text(),
  'b.txt': text(),
  'dir/c.txt': text(),
  'dir/sub/d.txt': text(),
  'crlf.dat': text(new Map(), '\r\n'),
  'latin.txt': Buffer.from(`caf\xe9\n${text()}`, 'latin1'),
  'blob.bin': Buffer.from([0, 1, 2, 255]),
  'run.sh': { run: text() },
  'one/only': 'alone\n',
  link: { link: 'a.txt' },
  'name with space "q"\tü': text(),
};

const NEW_PATHS = ['new.txt', 'dir/new.txt', 'fresh/deep/x', 'one/only/below', 'dir', 'tool', 'empty'];

/** A few changes, as a worker or a user makes them. */
export function randomChanges(random: Random, most: number): Tree {
  const paths = [...Object.keys(BASE), ...NEW_PATHS];
  const changes: Record<string, Content> = {};
  for (let count = 1 + random(most); count > 0; count -= 1) {
    const path = paths[random(paths.length)] ?? 'a.txt';
    // Only one of two paths where one is a folder of the other.
    if (Object.keys(changes).some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`)))
      continue;
    if (path === 'dir') for (const name of ['dir/c.txt', 'dir/sub/d.txt']) changes[name] = null;
    if (path === 'one/only/below') changes['one/only'] = null;
    changes[path] = randomContent(random, path);
  }
  return ordered(changes);
}

/** Deletions first, so that a file can take a folder's place. */
function ordered(changes: Record<string, Content>): Tree {
  return Object.fromEntries(
    Object.entries(changes).sort(([, a], [, b]) => Number(a !== null) - Number(b !== null)),
  );
}

function randomContent(random: Random, path: string): Content {
  const end = path === 'crlf.dat' ? '\r\n' : '\n';
  const changed = text(new Map([[random(LINES), `changed ${random(2)}`]]), end);
  switch (random(9)) {
    case 0:
      return null;
    case 1:
      return { link: random(2) === 0 ? 'b.txt' : 'run.sh' };
    case 2:
      return Buffer.from([0, random(3)]);
    case 3:
      return { run: changed };
    case 4:
      return '';
    default:
      return changed;
  }
}

/** Brings the checkout into a state a user may leave it in: staged, unstaged, both, untracked, deleted. */
export function disturb(repository: string, random: Random): void {
  for (let count = random(5); count > 0; count -= 1) {
    const changes = Object.entries(randomChanges(random, 1));
    for (const [path, content] of changes) {
      if (isBlocked(repository, path)) continue;
      if (content === null && !existsSync(join(repository, path))) continue;
      writeTree(repository, { [path]: content });
    }
    const how = random(4);
    if (how === 0) git(repository, 'add', '-A');
    if (how === 1) touchLine(repository, random);
    if (how === 2 && random(3) === 0)
      git(repository, 'rm', '-q', '-r', '--cached', '--ignore-unmatch', 'b.txt', 'dir');
  }
  if (random(4) === 0 && git(repository, 'status', '--porcelain') !== '') {
    git(repository, 'commit', '-q', '--allow-empty', '-m', 'the user went on');
  }
}

/** A file or link that the user has where this path needs a folder. */
function isBlocked(repository: string, path: string): boolean {
  const above = path.split('/').slice(0, -1);
  return above.some((_, at) => {
    const folder = join(repository, ...above.slice(0, at + 1));
    return existsSync(folder) && !lstatSync(folder).isDirectory();
  });
}

function touchLine(repository: string, random: Random): void {
  const path = join(repository, 'a.txt');
  if (!existsSync(path) || !lstatSync(path).isFile()) return;
  const lines = readFileSync(path, 'latin1').split('\n');
  lines[random(lines.length)] = 'my own line';
  rmSync(path);
  writeTree(repository, { 'a.txt': Buffer.from(lines.join('\n'), 'latin1') });
}
