import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type JobId, makeJobId } from '../../../src/job/ids.ts';
import { SANDBOX_LEVELS, type SandboxLevel } from '../../../src/job/record.ts';
import { UserError } from '../../../src/job/user-error.ts';
import { backendFor } from '../../../src/workspace/sandbox/levels.ts';
import { openSandbox, type SandboxOptions } from '../../../src/workspace/sandbox/open.ts';
import type { Captured, Command, CommandResult, Sandbox } from '../../../src/workspace/sandbox/sandbox.ts';
import { makeFolder } from '../../helpers/repository.ts';

export type Level = SandboxLevel;

/** The levels this system has; says which ones it must leave out. In the gate all have to be there. */
export async function levelsHere(): Promise<Level[]> {
  const found = await Promise.all(SANDBOX_LEVELS.map(isHere));
  return SANDBOX_LEVELS.filter((_, index) => found[index]);
}

async function isHere(level: Level): Promise<boolean> {
  try {
    await backendFor(level);
    return true;
  } catch (error) {
    if (!(error instanceof UserError) || process.env.CC_DELEGATE_TEST_STRICT === '1') throw error;
    console.log(`level ${level} is not to be had here, its tests are left out: ${error.message}`);
    return false;
  }
}

export interface Place {
  readonly sandbox: Sandbox;
  readonly jobId: JobId;
  readonly folder: string;
  readonly workspace: string;
  run(argv: Command['argv'], more?: Partial<Command>): Promise<CommandResult>;
  bash(script: string, more?: Partial<Command>): Promise<CommandResult>;
}

export function freshJobId(): JobId {
  return makeJobId(Date.now(), Math.floor(Math.random() * 36 ** 6));
}

/** A sandbox on fresh folders, closed when the test ends. */
export async function makeSandbox(levelWanted: Level, options: Partial<SandboxOptions> = {}): Promise<Place> {
  const folder = makeFolder();
  const workspace = `${folder}/work`;
  mkdirSync(workspace);
  const jobId = freshJobId();
  const sandbox = await openSandbox({
    jobId,
    workspace,
    home: `${folder}/home`,
    temp: `${folder}/temp`,
    levelWanted,
    passEnv: {},
    pace: { graceMs: 200, drainMs: 300 },
    ...options,
  });
  onTestFinished(async () => {
    await sandbox.dispose();
  });
  const run: Place['run'] = (argv, more) => sandbox.run({ argv, cwd: workspace, timeoutMs: 20_000, ...more });
  return {
    sandbox,
    jobId,
    folder,
    workspace,
    run,
    bash: (script, more) => run(['bash', '-c', script], more),
  };
}

export function textOf(captured: Captured): string {
  return Buffer.from(captured.bytes).toString('utf8');
}

/** Living processes whose command line holds `text`. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(text) && !line.includes('bash') ? [`${pid} ${line}`] : [];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

/** Waits until `look` gives what is wanted; fails with the last thing seen. */
export async function eventually<Seen>(
  look: () => Seen,
  wanted: (seen: Seen) => boolean,
  limitMs = 10_000,
): Promise<Seen> {
  const until = Date.now() + limitMs;
  for (;;) {
    const seen = look();
    if (wanted(seen)) return seen;
    if (Date.now() > until)
      throw new Error(`waited ${limitMs} ms in vain; last seen: ${JSON.stringify(seen)}`);
    await sleep(20);
  }
}
