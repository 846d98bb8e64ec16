import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JobId } from '../../job/ids.ts';

/** Not TMPDIR, which may be long, and another one for whoever cleans up after a killed runner. */
const SHORT = '/tmp';
/** What a socket's name adds, and what Linux has room for (unix(7): 108 bytes; Node 20 cuts off what is longer). */
const NAME_BYTES = '/00000000.sock'.length;
const LONGEST_BYTES = 99;

/**
 * A folder for the gateway's socket, whose path is short: in the job's own folder where that is short enough, else in
 * /tmp, under a name that the salvager knows too. Throws what the disk says.
 */
export function openSocketFolder(folder: string, id: JobId): string {
  const own = join(folder, 's');
  if (Buffer.byteLength(own) + NAME_BYTES <= LONGEST_BYTES) {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    return own;
  }
  const short = shortFolder(id);
  removeSocketFolder(id);
  // Not `recursive`: a folder of somebody else's in its place is no folder of ours.
  mkdirSync(short, { mode: 0o700 });
  return short;
}

/** Removes what a job has outside of its folder; nothing if it has nothing there. */
export function removeSocketFolder(id: JobId): void {
  const short = shortFolder(id);
  const there = lstatSync(short, { throwIfNoEntry: false });
  if (there?.isDirectory() && there.uid === process.getuid?.())
    rmSync(short, { recursive: true, force: true });
}

function shortFolder(id: JobId): string {
  return join(SHORT, `ccd-${id.replaceAll('_', '')}`);
}
