import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { JOB_MARKER } from './environment.ts';
import { type SeenProcess, seeProcess, seeProcesses } from './processes.ts';

/** How a process is known to be the job's. */
export interface Belonging {
  /** `NAME=value`: who has it in its environment belongs. */
  readonly marker: string;
  /**
   * Absolute. Who works below one of them, without a terminal and orphaned, belongs too, unless it
   * carries the marker of another job: that is what is left of a child that cleared its environment.
   */
  readonly folders: readonly string[];
  /** Clock ticks since boot: what was there before is not the job's, wherever it works. */
  readonly startedAfter: number;
}

export interface Sweep {
  readonly ended: number;
  /** What could not be ended, for people: `pid 123 (sleep)`. */
  readonly survivors: readonly string[];
}

/**
 * Ends what a dead runner may have left of its job. `folders` are the job's own (workspace, home, temp);
 * `startedAfter` is the start time of the runner, if it is known (ticks, as in its identity). Without
 * /proc nothing can be found.
 */
export function sweepJob(
  jobId: string,
  folders: readonly string[],
  options: { readonly startedAfter?: number; readonly limitMs?: number } = {},
): Promise<Sweep> {
  const { startedAfter = 0, limitMs } = options;
  return sweep({ marker: `${JOB_MARKER}=${jobId}`, folders, startedAfter }, limitMs);
}

/** Kills in rounds until nothing is found: a killed parent leaves orphans, a fork may win a race. */
export async function sweep(given: Belonging, limitMs = SWEEP_LIMIT_MS): Promise<Sweep> {
  // /proc shows real paths.
  const belonging = { ...given, folders: given.folders.map(realFolder) };
  const ended = new Set<string>();
  const until = Date.now() + limitMs;
  for (;;) {
    const found = belongingProcesses(seeProcesses(), belonging, process.pid);
    if (found.length === 0) return { ended: ended.size, survivors: [] };
    if (Date.now() > until) return { ended: ended.size, survivors: found.map(name) };
    for (const each of found) {
      if (kill(each)) ended.add(`${each.pid} ${each.startTime}`);
    }
    await sleep(ROUND_MS);
  }
}

const SWEEP_LIMIT_MS = 2_000;
const ROUND_MS = 10;

/**
 * Which of the processes seen belong? Pure. The asking process and its ancestors never do. A process is
 * orphaned when its parent is an ancestor of ours (init, or a subreaper), or itself belongs.
 */
export function belongingProcesses(
  seen: readonly SeenProcess[],
  belonging: Belonging,
  self: number,
): SeenProcess[] {
  const ancestors = ancestorsOf(seen, self);
  const others = seen.filter(({ pid }) => pid !== self && !ancestors.has(pid));
  const marked = others.filter(({ environment }) => environment.has(belonging.marker));
  const chosen = new Map(marked.map((each) => [each.pid, each]));
  const strays = others.filter((each) => !chosen.has(each.pid) && worksBelow(each, belonging));
  for (let grown = true; grown; ) {
    const next = strays.filter(
      ({ pid, parent }) => !chosen.has(pid) && (ancestors.has(parent) || chosen.has(parent)),
    );
    for (const each of next) chosen.set(each.pid, each);
    grown = next.length > 0;
  }
  return [...chosen.values()];
}

function worksBelow(
  { cwd, environment, hasTerminal, startTime }: SeenProcess,
  belonging: Belonging,
): boolean {
  if (cwd === null || hasTerminal || startTime < belonging.startedAfter) return false;
  if ([...environment].some((entry) => entry.startsWith(`${JOB_MARKER}=`))) return false;
  const path = cwd.replace(/ \(deleted\)$/, '');
  return belonging.folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function ancestorsOf(seen: readonly SeenProcess[], self: number): Set<number> {
  const parents = new Map(seen.map(({ pid, parent }) => [pid, parent]));
  // Init is everybody's last ancestor, even where not every process on the way to it can be seen.
  const found = new Set([1]);
  for (let pid = parents.get(self); pid !== undefined && pid > 0; pid = parents.get(pid)) {
    found.add(pid);
  }
  return found;
}

/** Numbers are used again: it is killed only if it is still the one that was seen. */
function kill(target: SeenProcess): boolean {
  if (seeProcess(target.pid)?.startTime !== target.startTime) return false;
  try {
    process.kill(target.pid, 'SIGKILL');
    return true;
  } catch {
    // It ended by itself, or it is not ours to kill; the next round says which.
    return false;
  }
}

function name({ pid, command }: SeenProcess): string {
  return `pid ${pid} (${command})`;
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // It is gone; processes that still work there show the path it had.
    return folder;
  }
}
