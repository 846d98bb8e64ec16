import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findSystemProgram } from './programs.ts';

/** Our end of a pipe, and the number of the command's. */
export interface OutputPipe {
  readonly stream: Socket;
  readonly writer: number;
}

/**
 * Makes `count` real pipes. Node's own `pipe` is a pair of sockets, and a socket cannot be opened by name:
 * with it, `echo oops >/dev/stderr` would fail in every script. Node cannot make a pipe either; so a
 * named one is made, opened at both ends, and its name is removed. The caller closes the writers once
 * the command has them. Null where the system has no mkfifo.
 */
export async function makePipes(count: number): Promise<OutputPipe[] | null> {
  const mkfifo = findSystemProgram('mkfifo');
  if (mkfifo === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'cc-delegate-pipes-'));
  try {
    const paths = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    await promisify(execFile)(mkfifo, ['-m', '600', ...paths]);
    return paths.map(openBoth);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function openBoth(path: string): OutputPipe {
  // Without O_NONBLOCK the first open would wait for the second.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  return { stream: new Socket({ fd: reader, readable: true, writable: false }), writer };
}

export function closeWriters(pipes: readonly OutputPipe[]): void {
  for (const { writer } of pipes) closeSync(writer);
}
