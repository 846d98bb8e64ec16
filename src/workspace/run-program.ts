import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

export interface Program {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** stdin; empty and closed without it. */
  readonly input?: Uint8Array;
  /** stdin, from a file that may be big. */
  readonly inputFile?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface ProgramEnd {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** null: it was not started, or a signal ended it. */
  readonly exitCode: number | null;
  /** Why it was not started, or why we ended it; null when it came to its own end. */
  readonly fault: string | null;
}

/** The most a program may say on one stream. */
const MOST_BYTES = 1 << 29;
const GRACE_MS = 5_000;

/**
 * Runs a program of the host to its end. Never rejects for what the program does; throws what the disk says of
 * `inputFile`. By node itself and not by a library: git runs thirty times a job, and to load the library took a
 * fifth of the start of every process of ours.
 */
export async function runProgram(wanted: Program): Promise<ProgramEnd> {
  if (wanted.signal?.aborted) return notStarted('aborted');
  const file = wanted.inputFile === undefined ? null : openSync(wanted.inputFile, 'r');
  try {
    const child = spawn(wanted.program, wanted.args, {
      ...(wanted.cwd !== undefined && { cwd: wanted.cwd }),
      env: wanted.env,
      stdio: [file ?? (wanted.input === undefined ? 'ignore' : 'pipe'), 'pipe', 'pipe'],
    });
    return await toItsEnd(child, wanted);
  } catch (error) {
    // Arguments that are too long are said by throwing, everything else by an event.
    return notStarted(messageOf(error));
  } finally {
    if (file !== null) closeSync(file);
  }
}

function toItsEnd(child: ChildProcess, wanted: Program): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let fault: string | null = null;
    let grace: NodeJS.Timeout | undefined;
    const cut = (why: string): void => {
      if (fault !== null) return;
      fault = why;
      child.kill('SIGTERM');
      grace = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    };
    const limit =
      wanted.timeoutMs === undefined ? undefined : setTimeout(() => cut('timed out'), wanted.timeoutMs);
    const onAbort = (): void => cut('aborted');
    wanted.signal?.addEventListener('abort', onAbort, { once: true });
    const stdout = collect(child.stdout, cut);
    const stderr = collect(child.stderr, cut);
    child.stdin?.on('error', () => {
      // It ended before it had read all: how it ended says why.
    });
    child.stdin?.end(wanted.input);
    // A close follows, whether it was started or not.
    child.once('error', (error) => {
      fault ??= messageOf(error);
    });
    child.once('close', (exitCode) => {
      clearTimeout(limit);
      clearTimeout(grace);
      wanted.signal?.removeEventListener('abort', onAbort);
      resolve({ stdout: stdout(), stderr: stderr(), exitCode: fault === null ? exitCode : null, fault });
    });
  });
}

function collect(stream: Readable | null, cut: (why: string) => void): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_BYTES) cut('it says more than can be kept');
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks);
}

function notStarted(fault: string): ProgramEnd {
  return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: null, fault };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
