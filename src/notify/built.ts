import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the builder leaves beside the program: the version, and the digest of what it was made from. */
export const BUILT = 'built.json';

/** In a checkout; what is published has no such thing. */
const SOURCES = 'src';
/** Beside them: the packages that are built in, and how. */
const FURTHER = ['package-lock.json', join('scripts', 'build.ts')];

/** The digest of all that a program is built from: the same for the same contents, whatever their times. */
export function sourcesDigest(root: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const hash = createHash('sha256');
  const names = readdirSync(join(root, SOURCES), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(SOURCES, name),
  );
  for (const name of [...names, ...FURTHER].sort()) {
    const path = join(root, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    // Each with its own length, so that no two trees run together to the same bytes.
    const content = readFileSync(path);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * Was the program in a checkout built from other sources than are there now, as after `git pull`? False for a published
 * one. `program` is the folder of the built program. Reads all sources. Throws what the disk says.
 */
export function isOutdated(program: string): boolean {
  const root = dirname(program);
  return isCheckout(root) && builtFrom(program) !== sourcesDigest(root);
}

/**
 * A line for the person who begins a session with an outdated program; null otherwise. The sources are read only if git
 * has moved the checkout since it was built. Throws what the disk says.
 */
export function outdatedProgram(program: string): string | null {
  const root = dirname(program);
  if (!isCheckout(root)) return null;
  const moved = statSync(join(root, '.git', 'logs', 'HEAD'), { throwIfNoEntry: false })?.mtimeMs;
  const built = statSync(join(program, BUILT), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (moved === undefined || moved <= built || !isOutdated(program)) return null;
  return `cc-delegate: the program is built from older sources than there are; ${buildCommand(program)}`;
}

/** What to type to build the checkout anew. */
export function buildCommand(program: string): string {
  return `run: cd '${dirname(program)}' && npm ci && npm run build`;
}

function isCheckout(root: string): boolean {
  return existsSync(join(root, SOURCES, 'cli', 'main.ts'));
}

function builtFrom(program: string): string | null {
  try {
    const { sources } = JSON.parse(readFileSync(join(program, BUILT), 'utf8'));
    return typeof sources === 'string' ? sources : null;
  } catch {
    // Built before there was such a file, or not by our builder.
    return null;
  }
}
