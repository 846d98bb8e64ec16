import type { Dir } from 'node:fs';
import { chmod, lstat, mkdir, opendir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command, Hidden, Sandbox, ServiceCommand } from './sandbox.ts';

/** Each is a mount more for every command: so many take it a second. */
export const MOST_HIDDEN = 500;

/** Files that commands see empty, as they are when one starts. */
export interface Hiding {
  now(): Promise<Hidden>;
}

/**
 * Files of a folder that no command can write: what `find` finds there (relative to `root`, which is real) before each
 * command. Nothing is changed in it.
 */
export async function hiddenBeside(
  root: string,
  find: () => Promise<readonly string[]>,
  beside: string,
): Promise<Hiding> {
  const cover = await coverIn(beside);
  return {
    async now() {
      const paths = await find();
      const there = await Promise.all(paths.map(async (path) => (await identityOf(root, path)) !== null));
      return { cover, paths: paths.filter((_, at) => there[at]).map((path) => join(root, path)) };
    },
  };
}

/**
 * Files of one folder that commands see empty and cannot write. They are known by their inodes: a command cannot
 * move or remove a file that is hidden from it, but it can move a folder around it, and the next command must not
 * find it there.
 */
export class HiddenFiles implements Hiding {
  readonly #root: string;
  readonly #cover: string;
  /** Where each was last seen, relative to the root. */
  readonly #places: Map<string, string>;

  private constructor(root: string, cover: string, places: Map<string, string>) {
    this.#root = root;
    this.#cover = cover;
    this.#places = places;
  }

  /** `paths` are relative to `root`. `beside` is a folder no command can write: what is seen instead is put there. */
  static async open(root: string, paths: readonly string[], beside: string): Promise<HiddenFiles> {
    const cover = await coverIn(beside);
    const real = await realpath(root);
    const places = new Map<string, string>();
    for (const path of paths) {
      const identity = await identityOf(real, path);
      if (identity !== null) places.set(identity, path);
    }
    return new HiddenFiles(real, cover, places);
  }

  /** Where they are now, relative to the root; looked for if one is not where it was. One that has gone is forgotten. */
  async paths(): Promise<string[]> {
    const lost = new Set<string>();
    for (const [identity, path] of this.#places) {
      if ((await identityOf(this.#root, path)) !== identity) lost.add(identity);
    }
    if (lost.size > 0) {
      for (const identity of lost) this.#places.delete(identity);
      for (const [identity, path] of await lookFor(this.#root, lost)) this.#places.set(identity, path);
    }
    return [...this.#places.values()].sort();
  }

  async now(): Promise<Hidden> {
    return { cover: this.#cover, paths: (await this.paths()).map((path) => join(this.#root, path)) };
  }
}

/**
 * The same sandbox, in whose commands these files are seen empty. Below level `full` nothing can be hidden. One command
 * at a time: while another ran, a link could be put where a file was just seen.
 */
export function hiding(sandbox: Sandbox, files: readonly Hiding[]): Sandbox {
  const withHidden = async <C extends Command | ServiceCommand>(command: C): Promise<C> => ({
    ...command,
    hidden: await Promise.all(files.map((some) => some.now())),
  });
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(start: () => Promise<Value>): Promise<Value> => {
    const mine = last.then(start);
    // How it ended is for who asked for it.
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    level: sandbox.level,
    backend: sandbox.backend,
    run: (command) => inTurn(async () => sandbox.run(await withHidden(command))),
    serve: (command) => inTurn(async () => sandbox.serve(await withHidden(command))),
    dispose: () => sandbox.dispose(),
  };
}

/** The empty file that is seen in their place, in a folder no command can write. */
async function coverIn(beside: string): Promise<string> {
  const cover = join(beside, 'empty');
  await mkdir(beside, { recursive: true, mode: 0o700 });
  await writeFile(cover, '', { mode: 0o644, flag: 'a' });
  return cover;
}

/** Of a regular file that is reached by no link; null of anything else. */
async function identityOf(root: string, path: string): Promise<string | null> {
  try {
    const folder = join(root, dirname(path));
    if ((await realpath(folder)) !== folder) return null;
    const stat = await lstat(join(root, path), { bigint: true });
    return stat.isFile() ? `${stat.dev}:${stat.ino}` : null;
  } catch {
    // Not there, or not to be reached: it is looked for.
    return null;
  }
}

async function lookFor(root: string, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opened(join(root, folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      const identity = await identityOf(root, path);
      if (identity !== null && wanted.has(identity)) found.set(identity, path);
    }
  }
  return found;
}

/** A folder that was closed against us would be one to hide in. */
async function opened(folder: string): Promise<Dir> {
  return opendir(folder).catch(async () => {
    await chmod(folder, 0o755);
    return opendir(folder);
  });
}
