import { describe, expect, it } from 'vitest';
import { type Kill, killAt, passFreely } from './kill-job.ts';

/** Every named point of the runner's way, in order. A free run below has to pass exactly these. */
const POINTS = {
  'before it has claimed the job': ['start:up', 'start:secrets', 'start:read'],
  'while it makes the workspace': [
    'start:claimed',
    'run:inbox',
    'queue:left',
    'run:preparing',
    'prepare:found',
    'prepare:fingerprint',
    'prepare:pinned',
    'prepare:reserved',
    'prepare:cloned',
    'prepare:provided',
    'prepare:sandbox',
    'prepare:set-up-begins',
    'prepare:set-up',
    'prepare:preflight-ran',
    'prepare:preflight',
    'prepare:tidied',
    'prepare:ready',
  ],
  'while the worker works': [
    'work:running',
    'work:started',
    'step:1:start',
    'step:1:spend',
    'tool:1:start',
    'progress:touched:1',
    'tool:1:end',
    'tool:2:start',
    'progress:note',
    'tool:2:end',
    'step:1:end',
    'step:2:start',
    'step:2:spend',
    'tool:3:start',
    'inbox:steer:taken',
    'inbox:steer:acted',
    'tool:3:end',
    'step:2:end',
  ],
  'while the worker is steered and asks': [
    'steer:delivered',
    'step:3:start',
    'step:3:spend',
    'tool:4:start',
    'question:1:begins',
    'question:1:posted',
    'question:1:asked',
    'inbox:answer:taken',
    'inbox:answer:acted',
    'question:1:heard',
    'question:1:answered',
    'tool:4:end',
    'step:3:end',
    'step:4:start',
    'step:4:spend',
    'step:4:end',
    'work:ended',
    'work:logged',
  ],
  'while it takes the work in': [
    'grade:start',
    'grade:moved',
    'collect:start',
    'collect:collector',
    'collect:tree',
    'collect:extras',
    'collect:commit',
    'collect:pack',
    'collect:ref',
    'collect:patch',
    'collect:branch',
    'collect:done',
  ],
  'while it judges and says so': [
    'grade:collected',
    'gate:folder',
    'gate:checkout',
    'gate:provided',
    'gate:sandbox',
    'gate:judged',
    'gate:disposed',
    'grade:gated',
    'finish:looked',
    'finish:disposed',
    'finish:receipt',
    'finish:logged',
    'finish:published',
    'run:closed',
  ],
} as const;

const ALL = Object.values(POINTS).flat();

/** Twins of points that are killed: passed and named, but a kill there would show nothing new. */
const SPARED: ReadonlySet<string> = new Set([
  ...[
    'start:read',
    'run:preparing',
    'prepare:found',
    'prepare:sandbox',
    'prepare:preflight-ran',
    'gate:provided',
  ],
  ...['tool:2:start', 'tool:2:end', 'step:2:start', 'step:2:spend', 'step:2:end', 'step:3:start'],
  ...['step:3:spend', 'step:4:start', 'work:logged', 'gate:folder', 'gate:disposed', 'finish:logged'],
]);
const KILLED = ALL.filter((point) => !SPARED.has(point));

/** That a new start works is looked at once a phase: it costs as much as all the rest. */
const FIRSTS: ReadonlySet<string> = new Set(Object.values(POINTS).map(([first]) => first));

/** What a kill at this point must leave. */
function expectedAt(point: string, workerChangedIt: boolean) {
  if (point.startsWith('start:') && point !== 'start:claimed') {
    return { state: 'failed', reason: 'launch_failed', salvaged: false };
  }
  if (point === 'finish:published' || point === 'run:closed') {
    return { state: 'succeeded', reason: null, salvaged: false };
  }
  return { state: 'failed', reason: 'runner_lost', salvaged: workerChangedIt };
}

describe('a runner that is killed (kill -9)', () => {
  it('passes the points the table names, and is killed at 60 of them or more', async () => {
    expect(new Set(KILLED).size).toBeGreaterThanOrEqual(60);
    const passed = await passFreely();
    expect([...new Set(passed)].sort()).toEqual([...ALL].sort());
  });

  it.each(Object.entries(POINTS).flatMap(([phase, points]) => inFours(phase, points)))(
    '%s is seen at once for what it is, and its work is kept: %s',
    async (_phase, names) => {
      const points = names.split(', ');
      const kills = await Promise.all(points.map((point) => killAt(point, { startAnew: FIRSTS.has(point) })));
      expect(kills.map(outcome)).toEqual(kills.map(wanted));
    },
  );
});

/** Several rows of four, so that a failure names few points and the kills of a row go side by side. */
function inFours(phase: string, points: readonly string[]): [string, string][] {
  const rows: [string, string][] = [];
  const killed = points.filter((point) => !SPARED.has(point));
  for (let at = 0; at < killed.length; at += 4) rows.push([phase, killed.slice(at, at + 4).join(', ')]);
  return rows;
}

function outcome(kill: Kill) {
  const { point, status, record } = kill;
  return {
    point,
    statusSays: status.state,
    state: record.state,
    reason: record.reason,
    salvaged: record.result?.salvaged,
    patched: kill.patched,
    patchFault: kill.patchFault,
    processes: kill.processes,
    litter: kill.litter,
    fsck: kill.fsck,
    newStart: kill.newStart,
  };
}

function wanted({ point, changed, newStart }: Kill) {
  const end = expectedAt(point, changed);
  const has = end.salvaged || end.state === 'succeeded';
  return {
    point,
    statusSays: end.state,
    ...end,
    // Never what set-up made, only the worker's.
    patched: has ? ['out.txt'] : [],
    patchFault: '',
    processes: [],
    litter: [],
    fsck: '',
    newStart: newStart === null ? null : 0,
  };
}
