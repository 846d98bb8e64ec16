import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createExclusive } from '../src/store/atomic-file.ts';
import { readJsonFile } from '../src/store/json-file.ts';
import { identify, liveness } from '../src/store/liveness.ts';
import { runnerIdentity } from '../src/store/record-fields.ts';

const PATIENCE_SECONDS = 120;

/**
 * Builds a checkout that has no `dist` yet, or waits until another process has. Exactly one builds; when it is killed
 * the next one takes over. `dist` appears whole, by a rename. Throws what the disk or the builder says, and an
 * Error after two minutes of somebody else's building.
 */
async function firstBuild(root: string): Promise<void> {
  const folder = join(root, '.first-build');
  mkdirSync(folder, { recursive: true });
  const deadline = performance.now() + PATIENCE_SECONDS * 1000;
  while (!isBuilt(root)) {
    // Claims are numbered and never taken away, so that nobody can remove a living one by mistake.
    const { number, lives } = lastClaim(folder);
    if (!lives && createExclusive(claimPath(folder, number + 1), JSON.stringify(identify())) === 'created') {
      // The one before may have ended because it was done.
      if (!isBuilt(root)) await build(root, folder);
      return;
    }
    if (performance.now() > deadline)
      throw new Error(`somebody else is building for too long: see ${folder}`);
    await sleep(100);
  }
}

function isBuilt(root: string): boolean {
  return existsSync(join(root, 'dist', 'cli.js'));
}

async function build(root: string, folder: string): Promise<void> {
  process.stderr.write('cc-delegate: first call in this git checkout: building it, once\n');
  // What is there was left by a builder that was killed.
  for (const name of readdirSync(folder)) {
    if (name.startsWith('dist.')) rmSync(join(folder, name), { recursive: true, force: true });
  }
  // Not at the top: what it needs may not be installed, and then the caller has to be told.
  const { buildInto } = await import('./build.ts');
  const made = await buildInto(join(folder, `dist.${process.pid}`));
  // A half-made one, as `npm run build` leaves it when it is interrupted.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(made, join(root, 'dist'));
}

function lastClaim(folder: string): { readonly number: number; readonly lives: boolean } {
  const numbers = readdirSync(folder).map((name) => Number(/^claim\.(\d+)\.json$/.exec(name)?.[1] ?? 0));
  const number = Math.max(0, ...numbers);
  if (number === 0) return { number, lives: false };
  const claim = readJsonFile(claimPath(folder, number), runnerIdentity, 4096);
  return { number, lives: claim.kind === 'ok' && liveness(claim.value) !== 'dead' };
}

function claimPath(folder: string, number: number): string {
  return join(folder, `claim.${number}.json`);
}

await firstBuild(fileURLToPath(new URL('..', import.meta.url)));
