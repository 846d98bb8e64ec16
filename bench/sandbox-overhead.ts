// What the sandbox adds to one command: `tsx bench/sandbox-overhead.ts [rounds]`. Rounds are interleaved, so that a
// busy moment hits every level alike; medians, in milliseconds, and the difference to a plain spawn.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeJobId } from '../src/job/ids.ts';
import { SANDBOX_LEVELS } from '../src/job/record.ts';
import { openSandbox } from '../src/workspace/sandbox/open.ts';
import type { Sandbox } from '../src/workspace/sandbox/sandbox.ts';

const ROUNDS = Number(process.argv[2] ?? '40');
const WARM_UP = 3;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-delegate-bench-'));
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  const sandboxes: Sandbox[] = [];
  try {
    const ways = new Map<string, () => Promise<unknown>>([['plain spawn', () => plain(workspace)]]);
    for (const levelWanted of SANDBOX_LEVELS) {
      const place = {
        workspace,
        home: join(folder, levelWanted, 'home'),
        temp: join(folder, levelWanted, 'tmp'),
      };
      const jobId = makeJobId(Date.now(), sandboxes.length);
      const sandbox = await openSandbox({ jobId, ...place, levelWanted, passEnv: {} });
      sandboxes.push(sandbox);
      ways.set(`${levelWanted}, worker's command`, () => command(sandbox, workspace, false));
      ways.set(`${levelWanted}, our own git`, () => command(sandbox, workspace, true));
    }
    report(await measure(ways));
  } finally {
    for (const sandbox of sandboxes) await sandbox.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function plain(cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/true', [], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

function command(sandbox: Sandbox, cwd: string, sockets: boolean): Promise<unknown> {
  return sandbox.run({ argv: ['true'], cwd, timeoutMs: 10_000, sockets });
}

async function measure(ways: ReadonlyMap<string, () => Promise<unknown>>): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>([...ways.keys()].map((name) => [name, []]));
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const [name, run] of ways) {
      const started = performance.now();
      await run();
      if (round >= WARM_UP) times.get(name)?.push(performance.now() - started);
    }
  }
  return times;
}

function report(times: ReadonlyMap<string, readonly number[]>): void {
  const medians = [...times].map(([name, all]) => [name, median(all)] as const);
  const floor = medians[0]?.[1] ?? 0;
  for (const [name, ms] of medians) {
    process.stdout.write(
      `${name.padEnd(28)} ${ms.toFixed(1).padStart(7)} ms  +${(ms - floor).toFixed(1)} ms\n`,
    );
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

await main();
