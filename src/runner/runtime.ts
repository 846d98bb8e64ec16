import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../job/version.ts';

/** What is built, and its name in the copy; the runner is the last, since its presence says that all is there. */
const FILES = [
  ['files.js', 'files.mjs'],
  ['runner.js', 'runner.mjs'],
] as const;

/**
 * Copies the built runner, from the folder `program`, to a place that an update of the plugin cannot pull
 * away while a job runs. Returns the copy's path; made once for each content. Throws what the disk says.
 */
export function runtimeCopy(program: string, stateDirectory: string): string {
  const hash = createHash('sha256');
  for (const [name] of FILES) hash.update(readFileSync(join(program, name)));
  const folder = join(stateDirectory, 'runtime', `${VERSION}-${hash.digest('hex').slice(0, 12)}`);
  const runner = join(folder, 'runner.mjs');
  if (existsSync(runner)) return runner;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, copy] of FILES) {
    const temporary = join(folder, `.${copy}.${process.pid}.tmp`);
    copyFileSync(join(program, name), temporary);
    renameSync(temporary, join(folder, copy));
  }
  return runner;
}

/** The helper for the file tools: beside the running runner. */
export function filesProgram(): string {
  return fileURLToPath(new URL('files.mjs', import.meta.url));
}
