import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { EXIT, UserError } from '../../job/user-error.ts';
import type { Argv, Containment } from './containment.ts';
import { closeWriters, makePipes } from './pipes.ts';
import { workspaceLost } from './place.ts';
import type { Command, ServiceCommand } from './sandbox.ts';

/** A running command, or one that could not be found: that is its own failure, with a shell's exit code. */
export type Started =
  | {
      readonly ok: true;
      readonly child: ChildProcess;
      /** The process that leads its session. */
      readonly leader: number;
      /** What comes out of 1, 2 and so on. */
      readonly outputs: readonly Readable[];
    }
  | { readonly ok: false; readonly exitCode: 126 | 127; readonly text: string };

/** What is asked of a start, whether for a command or for a service. */
export interface Start extends ServiceCommand, Pick<Command, 'sockets'> {
  readonly stdin: 'empty' | 'pipe';
}

/** Starts the leader. Throws a UserError when the system cannot, or when the folder has gone. */
export async function startCommand(command: Start, containment: Containment): Promise<Started> {
  const { cwd, writable = [], readable = [], hidden = [] } = command;
  const wrapped = containment.wrap(command.argv, { cwd, writable, readable, hidden });
  const [program, ...args] = wrapped;
  const count = containment.keepsStderr ? 3 : 2;
  const pipes =
    command.sockets === true
      ? null
      : await makePipes(count).catch((error: unknown) => {
          throw cannotStart(String(error), error);
        });
  const given = pipes?.map(({ writer }) => writer) ?? Array.from({ length: count }, () => 'pipe' as const);
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...containment.environment, ...command.env },
      // A session of its own: no terminal to ask on, and a group that can be ended as one.
      detached: true,
      stdio: [
        command.stdin === 'empty' ? 'ignore' : 'pipe',
        ...given,
        ...containment.feeds.map(() => 'pipe' as const),
      ],
    });
    await once(child, 'spawn');
    if (child.pid === undefined) throw new Error('a process that was started has no number');
    feed(child.stdio.slice(1 + count), containment.feeds);
    const outputs = pipes?.map(({ stream }) => stream) ?? child.stdio.slice(1, 1 + count).filter(isReadable);
    return { ok: true, child, leader: child.pid, outputs };
  } catch (error) {
    for (const { stream } of pipes ?? []) stream.destroy();
    return failure(error, command, wrapped);
  } finally {
    closeWriters(pipes ?? []);
  }
}

/** Gives the wrapping what it reads. */
function feed(streams: readonly unknown[], texts: readonly string[]): void {
  for (const [index, text] of texts.entries()) {
    const stream = streams[index];
    if (!(stream instanceof Writable)) throw new Error('a process has no pipe that it was started with');
    stream.on('error', () => {
      // It ended before it had read this; how it ended says why.
    });
    stream.end(text);
  }
}

function failure(error: unknown, { argv, cwd }: Start, wrapped: Argv): Started {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT' && !existsSync(cwd)) throw workspaceLost(cwd);
  // What holds the command has gone: that is no failure of the command, and nothing may run without it.
  const isOurs = wrapped[0] !== argv[0] && (code === 'ENOENT' || code === 'EACCES');
  if (isOurs) throw cannotStart(`${wrapped[0]}: ${code}`, error);
  if (code === 'ENOENT') return { ok: false, exitCode: 127, text: `${argv[0]}: not found` };
  if (code === 'EACCES') return { ok: false, exitCode: 126, text: `${argv[0]}: may not be executed` };
  if (code === 'E2BIG') return { ok: false, exitCode: 126, text: `${argv[0]}: the arguments are too long` };
  throw cannotStart(error instanceof Error ? error.message : String(error), error);
}

export function cannotStart(value: string, cause?: unknown): UserError {
  const what = 'a command could not be started';
  const remedy = 'see that the system has processes and memory left';
  return new UserError({ code: 'cannot_start', what, value, remedy, exit: EXIT.environment }, { cause });
}

function isReadable(stream: unknown): stream is Readable {
  return stream instanceof Readable;
}
