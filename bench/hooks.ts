// What the hooks cost beside an empty shell and an empty node: `tsx bench/hooks.ts [rounds]`. Needs a built dist. Rounds
// are interleaved, so that a busy moment hits all alike; the ratio is the median of the rounds' ratios. Goals: nothing to
// do at most 1.5 × `sh -c :`, with work at most 1.15 × `node -e 0` (performance.md, goals 2 and 3).
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_RESULT } from '../src/job/record.ts';
import { deliver } from '../src/notify/deliver.ts';
import { jobOf } from '../test/notify/jobs.ts';

const ROUNDS = Number(process.argv[2] ?? '40');
const WARM_UP = 3;
/** A start by node costs more than an empty shell does, so a small shell starts this many in a row. */
const RUNS = 20;
const SCRIPT = fileURLToPath(new URL('../hooks/hook.sh', import.meta.url));

interface Way {
  readonly name: string;
  readonly against: 'shell' | 'node';
  readonly goal: number | null;
  run(): number;
}

interface World {
  readonly userDir: string;
  /** Where the turns' jobs are, and where a session begins, with one job that runs. */
  readonly repo: string;
  readonly other: string;
}

function world(folder: string): World {
  const [repo, other] = [join(folder, 'repository'), join(folder, 'other')];
  for (const path of [repo, other]) mkdirSync(join(path, '.git'), { recursive: true });
  return { userDir: join(folder, 'home'), repo, other };
}

function env(userDir: string, session: string): Record<string, string> {
  const { PATH = '/usr/bin:/bin' } = process.env;
  return { PATH, HOME: userDir, CC_DELEGATE_HOME: userDir, CLAUDE_CODE_SESSION_ID: session };
}

/** Milliseconds a run, of `RUNS` in a row. */
function byShell(args: readonly string[], environment: Record<string, string>): number {
  const loop = `i=0; while [ $i -lt ${RUNS} ]; do /bin/sh "$@" </dev/null || exit 1; i=$((i + 1)); done`;
  const started = performance.now();
  const { status } = spawnSync('/bin/sh', ['-c', loop, 'loop', ...args], {
    env: environment,
    stdio: 'ignore',
  });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`sh ${args.join(' ')} ended with ${status}`);
  return took / RUNS;
}

/** Milliseconds of one program. */
function once(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
  input = '',
): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(command, args, { env: environment, input });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return took;
}

function hook(event: string, input: object, environment: Record<string, string>): number {
  return once('/bin/sh', [SCRIPT, event], environment, JSON.stringify(input));
}

function ways({ userDir, repo, other }: World): Way[] {
  const plain = env(userDir, 'nobody');
  const begun = { session_id: 'begun', cwd: other, source: 'startup' };
  jobOf(other, 'begun', userDir);
  let turns = 0;
  jobOf(repo, 'busy', userDir);
  /** A session of its own for each round, with one notice. */
  const withNotice = (): string => {
    turns += 1;
    const session = `turn-${turns}`;
    const job = jobOf(repo, session, userDir);
    deliver(userDir, { ...job, state: 'succeeded', endedAt: job.updatedAt, result: NO_RESULT });
    return session;
  };
  return [
    { name: 'sh -c :', against: 'shell', goal: null, run: () => byShell(['-c', ':'], plain) },
    { name: 'Stop, nothing to do', against: 'shell', goal: 1.5, run: () => byShell([SCRIPT, 'Stop'], plain) },
    { name: 'node -e 0', against: 'node', goal: null, run: () => once('node', ['-e', '0'], plain) },
    {
      name: 'Stop, a notice',
      against: 'node',
      goal: 1.15,
      run: () => {
        const session = withNotice();
        return hook('Stop', { session_id: session, stop_hook_active: false }, env(userDir, session));
      },
    },
    {
      name: 'Stop, a job that runs',
      against: 'node',
      goal: 1.15,
      run: () =>
        hook('Stop', { session_id: 'busy', cwd: repo, stop_hook_active: false }, env(userDir, 'busy')),
    },
    {
      name: 'SessionStart',
      against: 'node',
      goal: 1.15,
      run: () => hook('SessionStart', begun, env(userDir, 'begun')),
    },
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const folder = mkdtempSync(join(tmpdir(), 'cc-delegate-bench-'));
try {
  const all = ways(world(folder));
  const times = new Map<string, number[]>(all.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const { name, run } of all) {
      const took = run();
      if (round >= WARM_UP) times.get(name)?.push(took);
    }
  }
  for (const { name, against, goal } of all) {
    const own = times.get(name) ?? [];
    const base = times.get(against === 'shell' ? 'sh -c :' : 'node -e 0') ?? [];
    const ratio = median(own.map((ms, round) => ms / (base[round] ?? Number.NaN)));
    const verdict = goal === null ? '' : ratio <= goal ? ` (goal ${goal}: met)` : ` (goal ${goal}: missed)`;
    process.stdout.write(
      `${name.padEnd(24)} ${median(own).toFixed(2).padStart(8)} ms  ${ratio.toFixed(2)} ×${verdict}\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
