import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../job/version.ts';

/**
 * Copies the built runner, from the folder `program`, to a place that an update of the plugin cannot pull
 * away while a job runs. Returns the copy's path; made once for each build, and there as a whole or not at all.
 * `now` is milliseconds since 1970. Throws what the disk says.
 */
export function runtimeCopy(program: string, stateDirectory: string, now = Date.now()): string {
  const built = join(program, 'runner');
  const name = `${VERSION}-${digestOf(built)}`;
  const runtimes = join(stateDirectory, 'runtime');
  const folder = join(runtimes, name);
  const runner = join(folder, 'runner.mjs');
  if (existsSync(runner)) {
    utimesSync(folder, now / 1000, now / 1000);
    return runner;
  }
  mkdirSync(runtimes, { recursive: true, mode: 0o700 });
  const temporary = join(runtimes, `.${name}.${process.pid}.tmp`);
  cpSync(built, temporary, { recursive: true });
  try {
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Somebody else was faster, with the same files.
    if (!existsSync(runner)) throw error;
  }
  removeUnused(runtimes, now);
  return runner;
}

/** A month is longer than any job runs. */
const UNUSED_MS = 30 * 24 * 3600 * 1000;

/** A new version has come: those nobody has started a runner from for a month go. */
function removeUnused(runtimes: string, now: number): void {
  for (const name of readdirSync(runtimes)) {
    const folder = join(runtimes, name);
    const usedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - usedMs > UNUSED_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** The chunks bear a digest of what is in them in their names, and the rest is read. */
function digestOf(built: string): string {
  const hash = createHash('sha256');
  for (const name of ['runner.mjs', 'files.mjs', 'inside.mjs']) hash.update(readFileSync(join(built, name)));
  hash.update(readdirSync(join(built, 'chunks')).sort().join('\n'));
  return hash.digest('hex').slice(0, 12);
}

/** What runs beside the client in its sandbox: beside the running runner. */
export function insideProgram(): string {
  return fileURLToPath(new URL('inside.mjs', import.meta.url));
}

/** The helper for the file tools: beside the running runner. */
export function filesProgram(): string {
  return fileURLToPath(new URL('files.mjs', import.meta.url));
}
