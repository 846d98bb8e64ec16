import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from '../../src/cli/post.ts';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import type { JobRecord } from '../../src/job/record.ts';
import { isTerminal } from '../../src/job/states.ts';
import { signalRunner } from '../../src/store/liveness.ts';
import { openOutbox } from '../../src/store/mailbox.ts';
import { workspacePaths } from '../../src/store/paths.ts';
import { jobIds } from '../../src/store/read-job.ts';
import { sweep } from '../../src/store/sweep.ts';
import { GIT_ENVIRONMENT, git } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';

const START = [
  ...['start', 'make out.txt say right', '--json', '--no-preflight-wait'],
  // Set-up leaves a new file: never the worker's work, not even when somebody else takes the work in.
  ...['--setup', 'echo made > made.txt', '--test', 'grep -q right out.txt'],
];

/** The job that is killed: it writes, reports, runs a command that starts a daemon, is steered, asks. */
const TURNS: readonly Turn[] = [
  {
    calls: [write('out.txt', 'right\n'), { name: 'report_progress', args: { update: 'writing' } }],
  },
  {
    calls: [bash('setsid sleep 300 & touch "$TMPDIR/runs"; until [ -e "$TMPDIR/go" ]; do sleep 0.02; done')],
  },
  { calls: [{ name: 'ask_supervisor', args: { question: 'is that all?' } }] },
  { text: 'out.txt says right' },
];

/** What a kill at one point left, as seen from outside. */
export interface Kill {
  readonly point: string;
  /** What the first `status` afterwards said. */
  readonly status: Record<string, unknown>;
  /** The record once the salvager is done. */
  readonly record: JobRecord;
  /** Had the worker changed anything? */
  readonly changed: boolean;
  /** The paths in the patch, and what git says against applying it to the base. */
  readonly patched: readonly string[];
  readonly patchFault: string;
  readonly processes: readonly string[];
  readonly litter: readonly string[];
  readonly fsck: string;
  /** Exit code of a new `start`; null where it was not tried. */
  readonly newStart: number | null;
}

/** Runs the job without stopping it; the names of the points it passed, in order. */
export async function passFreely(): Promise<string[]> {
  const world = await makeWorld({ script: TURNS });
  const file = join(world.folder, 'points');
  const started = world.run(START, { env: { CC_DELEGATE_TEST_PAUSE: `record=${file}` } });
  const over = { now: false };
  const supervised = supervise(world, over);
  const { id } = (await started).json<{ id: JobId }>();
  await until('the free run to end', () => isTerminal(world.record(id).state)).finally(() => {
    over.now = true;
  });
  await supervised;
  const record = world.record(id);
  if (record.state !== 'succeeded') throw new Error(`the free run ended ${record.state}: ${record.reason}`);
  const runner = record.runner;
  await until('the runner to end', () => runner !== null && !existsSync(`/proc/${runner.pid}`));
  return readFileSync(file, 'utf8').trim().split('\n');
}

/** Runs the job up to a point, kills the runner there, and looks at what is left. */
export async function killAt(point: string, also: { readonly startAnew: boolean }): Promise<Kill> {
  const world = await makeWorld({ script: TURNS });
  const file = join(world.folder, 'paused');
  const started = world.run(START, { env: { CC_DELEGATE_TEST_PAUSE: `${point}=${file}` } });
  const over = { now: false };
  const supervised = supervise(world, over);
  await until(`a pause at ${point}`, () => /^\d+$/.test(textOf(file))).finally(() => {
    over.now = true;
  });
  await supervised;
  const claimed = jobIds(world.store()).some((id) => world.record(id).runner !== null);
  // Who waits for a runner to come up is the first to see it die; else `status` shall be the first.
  if (claimed) await started;
  process.kill(Number(textOf(file)), 'SIGKILL');
  const { id } = (await started).json<{ id: JobId }>();
  const status = (await world.run(['status', id, '--json'])).json();
  const record = await world.until(id, ({ result }) => result !== null && result.salvaged !== 'pending');
  const { work } = workspacePaths(world.state, world.store().repo, id);
  return {
    point,
    status,
    record,
    changed: existsSync(join(work, 'out.txt')),
    ...patchOf(world, id),
    processes: await processesLeft(world, id),
    litter: litterIn(world, id),
    fsck: fsck(world.repository),
    newStart: also.startAnew ? await startAnew(world) : null,
  };
}

/** Plays the supervisor: steers while the command runs, lets it end once that has arrived, answers. */
async function supervise(world: World, over: { now: boolean }): Promise<void> {
  const sent = new Set<string>();
  const once = (name: string, act: () => void): void => {
    if (!sent.has(name)) act();
    sent.add(name);
  };
  while (!over.now) {
    for (const id of jobIds(world.store())) {
      const { temp } = workspacePaths(world.state, world.store().repo, id);
      const send = (draft: Parameters<typeof post>[2]) => post(world.store(), id, draft);
      if (existsSync(join(temp, 'runs'))) once('steer', () => send({ type: 'steer', text: 'be quick' }));
      if (sent.has('steer') && world.events(id, 'steer').length > 0) writeFileSync(join(temp, 'go'), '');
      const asked = existsSync(join(temp, 'go')) && openOutbox(world.store(), id).pending().length > 0;
      if (asked && world.record(id).question !== null)
        once('answer', () => send({ type: 'answer', question: 'q1', text: 'yes' }));
    }
    await sleep(50);
  }
}

/** Another job in the same repository; that it comes up is enough. */
async function startAnew(world: World): Promise<number> {
  const answer = await world.run(['start', 'another', '--json', '--no-preflight-wait']);
  if (answer.exit !== 0) return answer.exit;
  const { runner } = world.record(answer.json<{ id: JobId }>().id);
  if (runner === null) return -1;
  signalRunner(runner, 'SIGKILL');
  return 0;
}

function patchOf(world: World, id: JobId): Pick<Kill, 'patched' | 'patchFault'> {
  const { result, base } = world.record(id);
  if (result?.commit == null) return { patched: [], patchFault: '' };
  const patched = git(world.repository, 'diff', '--name-only', base, result.commit).split('\n');
  const index = { ...GIT_ENVIRONMENT, GIT_INDEX_FILE: join(world.folder, 'index') };
  execFileSync('git', ['read-tree', base], { cwd: world.repository, env: index });
  const applied = spawnSync('git', ['apply', '--cached', '--binary', '-'], {
    cwd: world.repository,
    env: index,
    input: world.patch(id),
  });
  const tree = execFileSync('git', ['write-tree'], { cwd: world.repository, env: index }).toString().trim();
  const same = tree === result.tree ? '' : `the patch makes ${tree}, the record says ${result.tree}`;
  return { patched, patchFault: `${applied.stderr.toString()}${same}` };
}

/** Everything the job started that still lives a while after its end: worker's commands, git, salvager. */
async function processesLeft(world: World, id: JobId): Promise<string[]> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const left = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        const environment = textOf(`/proc/${pid}/environ`).split('\0');
        return [`CC_DELEGATE_JOB=${id}`, `CC_DELEGATE_STATE=${world.state}`].some((entry) =>
          environment.includes(entry),
        );
      })
      .map((pid) => `${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
    if (left.length === 0 || performance.now() > deadline) return left;
    // A look reads the environment of every process there is.
    await sleep(250);
  }
}

/** Temporary files and locks that stay after the sweep, and the marker of a job that is active no more. */
function litterIn(world: World, id: JobId): string[] {
  const store = world.store();
  const marker = join(store.active, id);
  const active = existsSync(marker) ? [marker] : [];
  sweep(store, Date.now() + 120_000);
  const files = [store.root, join(world.repository, '.git')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }),
  );
  return [...active, ...files.filter((name) => /\.tmp$|\.lock$|\/tmp_[^/]*$/.test(name))];
}

/** What git finds wrong; unreachable objects of an unfinished collection are not. */
function fsck(repository: string): string {
  const found = spawnSync('git', ['fsck', '--full', '--strict', '--no-dangling'], {
    cwd: repository,
    env: GIT_ENVIRONMENT,
  });
  return found.status === 0 ? '' : `${found.stdout.toString()}${found.stderr.toString()}`;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(25);
  }
}

/** '' when there is no such file, or it is gone by now. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Gone, or a process that ended between two looks.
    return '';
  }
}
