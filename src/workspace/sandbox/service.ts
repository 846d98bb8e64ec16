import type { Readable, Writable } from 'node:stream';
import { createCapture } from './capture.ts';
import type { Containment, Ended } from './containment.ts';
import { drain, giveUp } from './drain.ts';
import type { Pace } from './run-command.ts';
import type { Service, ServiceCommand, ServiceEnd } from './sandbox.ts';
import { cannotStart, startCommand } from './start-command.ts';

const KEEP_BYTES = 16 * 1024;

/** Starts a program that stays. `clear` ends what it left behind, once its leader has ended. */
export async function startService(start: {
  readonly command: ServiceCommand;
  readonly containment: Containment;
  readonly pace: Pace;
  readonly clear: (leader: number, ended: Ended) => Promise<void>;
}): Promise<Service> {
  const { command, containment, pace, clear } = start;
  const started = await startCommand({ ...command, stdin: 'pipe', sockets: true }, containment);
  if (!started.ok) throw cannotStart(started.text);
  const { child, leader } = started;
  const [stdout, ...others] = started.outputs;
  if (child.stdin === null || stdout === undefined) throw new Error('a service has no pipes');
  const own = createCapture(KEEP_BYTES);
  const stderr = createCapture(KEEP_BYTES);
  // Where the wrapping keeps stderr for itself, the program's comes after it.
  const captures = containment.keepsStderr ? [own, stderr] : [stderr];
  const closed = others.map((stream, index) => drain(stream, (chunk) => captures[index]?.write(chunk)));
  for (const stream of [child.stdin, stdout]) ignoreErrors(stream);
  const exit = new Promise<Ended>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  let over = false;
  const ended = exit.then(async (end): Promise<ServiceEnd> => {
    over = true;
    await clear(leader, end);
    await giveUp(others, closed, pace.drainMs);
    const read = containment.read(end, Buffer.from(own.result().bytes).toString());
    const told =
      'notStarted' in read ? { ...end, notStarted: read.notStarted } : { ...read, notStarted: null };
    return { ...told, stderr: stderr.result() };
  });
  return {
    stdin: child.stdin,
    stdout,
    ended,
    async stop() {
      // A number that is free again may be somebody else's by now.
      if (!over) containment.terminate(leader);
      const grace = setTimeout(() => over || containment.kill(leader), pace.graceMs);
      const end = await ended;
      clearTimeout(grace);
      return end;
    },
  };
}

function ignoreErrors(stream: Readable | Writable): void {
  stream.on('error', () => {
    // The other end closed; `ended` says how.
  });
}
