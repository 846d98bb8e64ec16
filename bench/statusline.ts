// What the status line costs beside an empty shell: `tsx bench/statusline.ts [rounds]`. A small shell starts each of them
// 20 times a round, since a start by node costs a multiple of what is to be measured. Rounds are interleaved, so that
// a busy moment hits both alike; the ratio is the median of the rounds' ratios. The goal is at most 1.25 (performance.md,
// goal 1), with one running job, as is usual; an idle repository and three jobs are measured beside it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JobId, makeJobId } from '../src/job/ids.ts';
import { NO_PROGRESS } from '../src/job/record.ts';
import { bakeLine } from '../src/notify/line/bake.ts';
import { identify } from '../src/store/liveness.ts';
import { openStore } from '../src/store/open.ts';
import { runPaths, storePaths } from '../src/store/paths.ts';
import { sampleRecord } from '../test/store/fixtures/records.ts';

const SCRIPT = fileURLToPath(new URL('../bin/cc-delegate-statusline', import.meta.url));
const ROUNDS = Number(process.argv[2] ?? '25');
const WARM_UP = 2;
const RUNS = 20;
const GOAL = 1.25;

/** A folder that looks like a repository with this many running jobs. */
function world(folder: string, jobs: number): string {
  const repo = join(folder, `jobs-${jobs}`);
  mkdirSync(join(repo, '.git'), { recursive: true });
  const { repo: real } = openStore(repo, { create: true });
  for (let at = 0; at < jobs; at += 1) {
    const id = makeJobId(Date.now() + at, at);
    bakeLine(
      sampleRecord({
        id,
        repo: real,
        state: 'running',
        runner: identify(standIn(real, id)),
        supervisor: { sessionId: '11111111-2222-3333-4444-555555555555' },
        progress: { ...NO_PROGRESS, step: 7, note: 'editing src/auth/tokens.ts' },
        updatedAt: new Date().toISOString(),
      }),
    );
  }
  return real;
}

const standIns: ChildProcess[] = [];

/** A process that looks like a job's runner: its errors go to the job's log. */
function standIn(repo: string, id: JobId): number {
  const { folder, runnerLog } = runPaths(storePaths(repo), id);
  mkdirSync(folder, { recursive: true });
  const log = openSync(runnerLog, 'a');
  const child = spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', log] });
  closeSync(log);
  standIns.push(child);
  return child.pid ?? 0;
}

/** Milliseconds a run, of 20 in a row. */
function time(args: readonly string[], cwd: string): number {
  const env = { PATH: '/usr/bin:/bin', COLUMNS: '120', CLAUDE_PROJECT_DIR: cwd };
  const loop = `i=0; while [ $i -lt ${RUNS} ]; do /bin/sh "$@" >/dev/null || exit 1; i=$((i + 1)); done`;
  const started = performance.now();
  const { status } = spawnSync('/bin/sh', ['-c', loop, 'loop', ...args], { cwd, env, stdio: 'ignore' });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`sh ${args.join(' ')} ended with ${status}`);
  return took / RUNS;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'cc-delegate-bench-'));
try {
  const worlds = [0, 1, 3].map((jobs) => ({ jobs, cwd: world(folder, jobs), ratios: [] as number[] }));
  const empty: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const { cwd, ratios } of worlds) {
      const base = time(['-c', ':'], cwd);
      const line = time([SCRIPT], cwd);
      if (round < WARM_UP) continue;
      empty.push(base);
      ratios.push(line / base);
    }
  }
  say(`sh -c :               ${median(empty).toFixed(2)} ms (${ROUNDS} rounds of ${RUNS})`);
  for (const { jobs, ratios } of worlds)
    say(`status line, ${jobs} jobs   ${median(ratios).toFixed(3)} x sh -c :`);
  say(`goal with one job     ${GOAL.toFixed(3)} x`);
} finally {
  for (const child of standIns) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
