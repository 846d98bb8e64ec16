import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatMoney } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import { isTerminal } from '../job/states.ts';
import { type Glance, type GlanceRead, glanceAt } from '../store/glance.ts';
import { type Liveness, liveness } from '../store/liveness.ts';
import { storePaths } from '../store/paths.ts';
import { type ActiveJob, forgetActive } from './deliveries.ts';
import { quoted } from './notice.ts';

/** What is to be done about a job that was noted as active. */
export type ActiveLook =
  | { readonly kind: 'runs'; readonly glance: Glance }
  /** Its runner died, or died before it could announce the end: somebody has to see to it. */
  | { readonly kind: 'lost'; readonly glance: Glance }
  /** Its record is gone: cleaned up. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

/** How long the command that made a job may take to start its runner. */
const LAUNCH_MS = 30_000;

/** Pure. `runner` is null while the job has none. */
export function lookOf(
  read: GlanceRead,
  runner: Liveness | null,
  storeExists: boolean,
  nowMs: number,
): ActiveLook {
  if (read.kind === 'absent') return { kind: storeExists ? 'gone' : 'unknown' };
  if (read.kind !== 'ok') return { kind: 'unknown' };
  const { glance } = read;
  if (isTerminal(glance.state) || runner === 'dead') return { kind: 'lost', glance };
  const isLate = runner === null && nowMs - Date.parse(glance.createdAt) > LAUNCH_MS;
  return { kind: isLate ? 'lost' : 'runs', glance };
}

export function lookAt({ job, repo }: ActiveJob, nowMs: number): ActiveLook {
  const store = storePaths(repo);
  const read = glanceAt(store, job);
  const runner = read.kind === 'ok' && read.glance.runner !== null ? liveness(read.glance.runner) : null;
  return lookOf(read, runner, existsSync(store.jobs), nowMs);
}

/** A line for a job that runs, as the model reads it when a session begins. */
export function activeLine(glance: Glance): string {
  const { id, state, step, costUsd, title } = glance;
  return `[delegate] ${shortId(id)} ${state}, step ${step}, ${formatMoney(costUsd)}: ${quoted(title, 120)} cc-delegate status ${shortId(id)}`;
}

/**
 * Looks after jobs whose runner has died: the program itself does, in a process of its own that nobody waits for.
 * `program` is the folder of the built program.
 */
export function seeToLost(
  userDir: string,
  program: string,
  env: NodeJS.ProcessEnv,
  jobs: readonly ActiveJob[],
): void {
  for (const active of jobs) {
    const look = lookAt(active, Date.now());
    if (look.kind === 'gone') forgetActive(userDir, active.owner, active.job);
    if (look.kind !== 'lost') continue;
    const args = [join(program, 'cli.js'), 'hook', 'lost', active.job, '--repo', active.repo];
    // Loading it is a tenth of a hook's start, and runners seldom die.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn(process.execPath, args, {
      detached: true,
      stdio: 'ignore',
      cwd: '/',
      env: kept(env),
    });
    // Not to be started: the next hook tries again.
    child.on('error', () => undefined);
    child.unref();
  }
}

const KEPT = /^(PATH|HOME|USER|LANG|LC_.*|TZ|TMPDIR|XDG_STATE_HOME|CC_DELEGATE_(HOME|STATE))$/;

/** No word of the session's own: neither its keys nor its sockets. */
function kept(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)));
}
