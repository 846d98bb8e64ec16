// What the two engines send first and how much memory they take: `tsx bench/engines.ts [rounds]`. Needs a built dist, and
// the client: CC_DELEGATE_TEST_CLAUDE, else `claude` on PATH. A whole job each, in turn, against a model on loopback: one
// file written, one command run. Bytes are those of the first request's body; memory is the runner's peak (VmHWM), and the
// most that all processes of the job beside it had at one moment (VmRSS, looked at every 20 ms). Medians. Two cores,
// client 2.1.332, 2026-11-30: native 4.7 kB, 115 + 56 MB, 2.3 s; claude 12.5 kB, 112 + 300 MB, 3.7 s.
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ScriptedModel, startScriptedModel } from '../src/engine/scripted/server.ts';
import type { ScriptedCall } from '../src/engine/scripted/turn.ts';
import { isTerminal } from '../src/job/states.ts';
import { openStore } from '../src/store/open.ts';
import { listJobs } from '../src/store/read-job.ts';

const ROUNDS = Number(process.argv[2] ?? '3');
const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const LOOK_MS = 20;

const ENGINES = ['native', 'claude'] as const;
type EngineName = (typeof ENGINES)[number];

interface Measured {
  readonly firstBytes: number;
  readonly requests: number;
  readonly runnerMb: number;
  readonly othersMb: number;
  readonly seconds: number;
}

const CALLS: Readonly<Record<EngineName, readonly ScriptedCall[]>> = {
  native: [
    { name: 'write', args: { path: 'new.txt', content: 'x\n' } },
    { name: 'bash', args: { command: 'cat new.txt' } },
  ],
  claude: [
    { name: 'Write', args: { file_path: 'new.txt', content: 'x\n' } },
    { name: 'Bash', args: { command: 'cat new.txt' } },
  ],
};

async function main(): Promise<void> {
  const client =
    process.env.CC_DELEGATE_TEST_CLAUDE ?? execFileSync('sh', ['-c', 'command -v claude']).toString().trim();
  const all = new Map<EngineName, Measured[]>(ENGINES.map((engine) => [engine, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const engine of ENGINES) all.get(engine)?.push(await oneJob(engine, realpathSync(client)));
  }
  report(all);
}

async function oneJob(engine: EngineName, client: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-delegate-engines-'));
  const model = await startScriptedModel({ script: [{ calls: [...CALLS[engine]] }, { text: 'done' }] });
  try {
    const { repository, env } = makeUser(folder, model, client);
    const started = performance.now();
    execFileSync(process.execPath, [PROGRAM, 'start', 'do the task', '--engine', engine], {
      cwd: repository,
      env,
    });
    const peaks = await watch(repository);
    const [first] = model.requests;
    return {
      ...peaks,
      firstBytes: Buffer.byteLength(first?.text ?? ''),
      requests: model.requests.length,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeUser(folder: string, model: ScriptedModel, client: string) {
  const [repository, home] = [join(folder, 'repository'), join(folder, 'home')];
  for (const path of [repository, join(home, '.cc-delegate')])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  const profile = { provider: 'anthropic-compatible', model: 'scripted', baseUrl: model.anthropicUrl };
  const config = {
    defaultProfile: 'bench',
    claude: { path: client },
    sandbox: { allowUnsandboxed: true },
    profiles: { bench: { ...profile, prices: { input: 1, output: 10 } } },
  };
  writeFileSync(join(home, '.cc-delegate', 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  writeFileSync(join(repository, 'README.md'), 'hello\n');
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    CC_DELEGATE_HOME: join(home, '.cc-delegate'),
    CC_DELEGATE_STATE: join(folder, 'state'),
  };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@b', ...args], { cwd: repository, env });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'base');
  return { repository, env };
}

/** Looks at the job until it has ended. */
async function watch(repository: string): Promise<Pick<Measured, 'runnerMb' | 'othersMb'>> {
  const store = openStore(repository, { create: false });
  let [runnerMb, othersMb] = [0, 0];
  for (;;) {
    const [job] = listJobs(store);
    if (job?.kind !== 'ok') throw new Error('there is no job');
    const { record } = job;
    if (record.runner !== null) {
      runnerMb = Math.max(runnerMb, megabytes(String(record.runner.pid), 'VmHWM'));
    }
    const others = processesOf(record.id).map((pid) => megabytes(pid, 'VmRSS'));
    othersMb = Math.max(
      othersMb,
      others.reduce((sum, each) => sum + each, 0),
    );
    if (isTerminal(record.state)) {
      if (record.state !== 'succeeded')
        throw new Error(`the job ended as ${record.state}: ${record.result?.error}`);
      return { runnerMb, othersMb };
    }
    await sleep(LOOK_MS);
  }
}

function processesOf(id: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`CC_DELEGATE_JOB=${id}`));
}

function megabytes(pid: string, field: 'VmHWM' | 'VmRSS'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It ended between two looks.
    return '';
  }
}

function report(all: ReadonlyMap<EngineName, readonly Measured[]>): void {
  process.stdout.write('engine   first request  requests  runner peak  job beside it  whole job\n');
  for (const [engine, rounds] of all) {
    const of = (field: keyof Measured): number => median(rounds.map((round) => round[field]));
    const cells = [
      engine.padEnd(8),
      `${of('firstBytes')} B`.padStart(13),
      String(of('requests')).padStart(9),
      `${of('runnerMb').toFixed(0)} MB`.padStart(12),
      `${of('othersMb').toFixed(0)} MB`.padStart(14),
      `${of('seconds').toFixed(1)} s`.padStart(10),
    ];
    process.stdout.write(`${cells.join(' ')}\n`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

await main();
