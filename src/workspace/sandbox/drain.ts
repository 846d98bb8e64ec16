import type { Readable } from 'node:stream';

/** Reads a stream to its end whatever happens to what is read. Resolves when it is closed. */
export function drain(stream: Readable, take: (chunk: Buffer) => void): Promise<void> {
  stream.on('data', take);
  stream.on('error', () => {
    // The stream closes after it, and what came before is kept.
  });
  return new Promise((resolve) => stream.once('close', () => resolve()));
}

/** What is in the pipes is read; a pipe that a survivor still holds is not waited for (PROC-02). */
export async function giveUp(
  streams: readonly Readable[],
  closed: readonly Promise<void>[],
  drainMs: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, drainMs);
  });
  await Promise.race([Promise.all(closed), late]);
  clearTimeout(timer);
  for (const stream of streams) stream.destroy();
}
