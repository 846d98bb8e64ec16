import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxLevel } from '../../../src/job/record.ts';
import { judge } from '../../../src/runner/guard/judge.ts';
import { type Guard, openGuard } from '../../../src/runner/guard/open.ts';
import { openSandbox } from '../../../src/workspace/sandbox/open.ts';
import { freshJobId } from '../../workspace/sandbox/helpers.ts';
import { type Names, spell } from './places.ts';
import { makeScene, runPlainly, type Scene, writeDriver } from './scene.ts';

/** What stands between a text and the user's history. */
export interface Layers {
  readonly guard: boolean;
  readonly shim: boolean;
  /** The worker's environment and, at `full`, the mount table; null: the user's own shell. */
  readonly level: SandboxLevel | null;
}

/** A text with placeholders, or one that is made from the names. */
export type Spelling = string | ((names: Names) => string);

function textOf(spelling: Spelling, names: Names): string {
  return typeof spelling === 'string' ? spell(spelling, names) : spelling(names);
}

/** The spellings that changed a ref of the remote or of the user's checkout, by number. */
export async function landed(
  spellings: readonly Spelling[],
  layers: Layers,
  remote: (bare: string) => string,
): Promise<number[]> {
  const scene = makeScene(spellings.length, remote);
  const before = scene.look();
  const guard = await guardOf(scene, layers.level ?? 'none');
  const texts = spellings.map((spelling, index) => textOf(spelling, scene.names(index)));
  const letThrough = new Map(
    [...texts.entries()].filter(([index, text]) => !layers.guard || passes(text, scene, index, guard)),
  );
  await runAll(scene, writeDriver(scene, letThrough), layers, guard);
  const after = scene.look();
  return before.flatMap((state, index) => (state === after[index] ? [] : [index]));
}

function passes(text: string, scene: Scene, index: number, guard: Guard): boolean {
  const cwd = scene.names(index).work;
  return judge(text, { ...guard.folders, workspace: cwd, cwd }).kind === 'pass';
}

function guardOf(scene: Scene, level: SandboxLevel): Promise<Guard> {
  const { folder, work } = scene;
  for (const name of ['home', 'tmp']) mkdirSync(join(folder, name));
  return openGuard({
    places: { folder, work, home: join(folder, 'home'), temp: join(folder, 'tmp') },
    checkout: join(folder, 'main'),
    level,
    path: process.env.PATH,
    refused: () => undefined,
  });
}

async function runAll(scene: Scene, driver: string, { shim, level }: Layers, guard: Guard): Promise<void> {
  const shimEnv = shim ? guard.env : {};
  const home = join(scene.folder, 'home');
  if (level === null) {
    await runPlainly(driver, { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home, ...shimEnv });
    return;
  }
  const sandbox = await openSandbox({
    jobId: freshJobId(),
    workspace: scene.work,
    home,
    temp: join(scene.folder, 'tmp'),
    levelWanted: level,
    passEnv: {},
    readable: [scene.objects],
  });
  try {
    const { argv, cwd } = { argv: ['bash', driver] as const, cwd: scene.work };
    await sandbox.run({ argv, cwd, env: shimEnv, readable: guard.readable, timeoutMs: 100_000 });
  } finally {
    await sandbox.dispose();
  }
}
