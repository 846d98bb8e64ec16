import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { EXIT } from '../../job/user-error.ts';
import { type Capture, createCapture, limitLog } from './capture.ts';
import type { Containment, Ended } from './containment.ts';
import { drain, giveUp } from './drain.ts';
import type { Command, CommandResult } from './sandbox.ts';
import { cannotStart, startCommand } from './start-command.ts';

export interface Run {
  readonly command: Command;
  readonly containment: Containment;
  readonly pace: Pace;
  /** Called when the leader has ended, before the streams are given up: ends what it left behind. */
  readonly clear: (leader: number, ended: Ended) => Promise<void>;
}

/** Milliseconds; tests bring shorter ones. */
export interface Pace {
  /** Between TERM and KILL. */
  readonly graceMs: number;
  /** How long a stream may stay open after everything has ended. */
  readonly drainMs: number;
}

export const DEFAULT_PACE: Pace = { graceMs: 3_000, drainMs: 1_000 };

const KEEP_BYTES = 64 * 1024;
const LOG_BYTES = 4 * 1024 * 1024;
/** The longest time Node's timers can count. */
const LONGEST_MS = 2 ** 31 - 1;

/** Why we ended it; the first reason stays. */
type Cut = 'time' | 'abort';

/** Starts one command and sees it, and all that it started, to its end. */
export async function runCommand(run: Run): Promise<CommandResult> {
  const { command } = run;
  const started = performance.now();
  const keepBytes = command.keepBytes ?? KEEP_BYTES;
  const streams = { stdout: createCapture(keepBytes), stderr: createCapture(keepBytes) };
  const { ended, cut } = command.signal?.aborted
    ? { ended: NOT_STARTED, cut: 'abort' as const }
    : await startAndEnd(run, streams);
  return {
    ...exitOf(ended, cut),
    timedOut: cut === 'time',
    aborted: cut === 'abort',
    stdout: streams.stdout.result(),
    stderr: streams.stderr.result(),
    durationMs: Math.round(performance.now() - started),
  };
}

const NOT_STARTED: Ended = { exitCode: null, signal: null };

function exitOf(ended: Ended, cut: Cut | null): Ended {
  if (cut === 'time') return { exitCode: EXIT.timedOut, signal: ended.signal };
  return cut === 'abort' ? { exitCode: null, signal: ended.signal } : ended;
}

interface Streams {
  readonly stdout: Capture;
  readonly stderr: Capture;
}

async function startAndEnd(run: Run, streams: Streams): Promise<{ ended: Ended; cut: Cut | null }> {
  const { command, containment, pace } = run;
  const stdin = command.input === undefined ? 'empty' : 'pipe';
  const started = await startCommand({ ...command, stdin }, containment);
  if (!started.ok) {
    streams.stderr.write(Buffer.from(`${started.text}\n`));
    return { ended: { exitCode: started.exitCode, signal: null }, cut: null };
  }
  const { child, leader, outputs } = started;
  const own = createCapture(OWN_BYTES);
  const captures = containment.keepsStderr
    ? [streams.stdout, own, streams.stderr]
    : [streams.stdout, streams.stderr];
  const closed = drainAll(outputs, captures, own, command.log);
  feed(child, command.input);
  const exit = new Promise<Ended>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const guard = watch(leader, run);
  const leaderEnded = await exit;
  guard.stop();
  await run.clear(leader, leaderEnded);
  await giveUp(outputs, closed, pace.drainMs);
  const cut = guard.cut();
  const ended = containment.read(leaderEnded, Buffer.from(own.result().bytes).toString());
  if (!('notStarted' in ended)) return { ended, cut };
  // Ended by us, or by a signal to its group, before it came to anything.
  if (cut !== null || leaderEnded.signal !== null) return { ended: leaderEnded, cut };
  throw cannotStart(ended.notStarted);
}

const OWN_BYTES = 2_000;

/** Everything is read, so that no command ever blocks. */
function drainAll(
  outputs: readonly Readable[],
  captures: readonly Capture[],
  own: Capture,
  log: Command['log'],
): Promise<void>[] {
  const limited = log === undefined ? null : limitLog(log, LOG_BYTES);
  return outputs.map((stream, index) => {
    const capture = captures[index] ?? own;
    return drain(stream, (chunk) => {
      capture.write(chunk);
      if (capture !== own) limited?.(chunk);
    });
  });
}

function feed(child: ChildProcess, input: Uint8Array | undefined): void {
  if (child.stdin === null || input === undefined) return;
  child.stdin.on('error', () => {
    // The command ended, or closed its input, before it had read all: its right.
  });
  child.stdin.end(input);
}

/** Time limit and abort: TERM to the group, then KILL to everything. */
function watch(leader: number, { command, containment, pace }: Run): { cut(): Cut | null; stop(): void } {
  let reason: Cut | null = null;
  let grace: NodeJS.Timeout | undefined;
  const end = (why: Cut): void => {
    if (reason !== null) return;
    reason = why;
    containment.terminate(leader);
    grace = setTimeout(() => containment.kill(leader), pace.graceMs);
  };
  const onAbort = (): void => end('abort');
  const limit = setTimeout(() => end('time'), Math.min(command.timeoutMs, LONGEST_MS));
  command.signal?.addEventListener('abort', onAbort, { once: true });
  // It may have been aborted while the command was being started.
  if (command.signal?.aborted) onAbort();
  return {
    cut: () => reason,
    stop() {
      clearTimeout(limit);
      clearTimeout(grace);
      command.signal?.removeEventListener('abort', onAbort);
    },
  };
}
