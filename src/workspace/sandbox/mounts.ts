import { join, relative } from 'node:path';
import type { HostView } from './host-view.ts';

/** A file or folder of the host that is seen inside. */
export interface Spot {
  /** Real, so that nothing between the check and the mount can be a link. */
  readonly from: string;
  /** Where it is seen. */
  readonly at: string;
  readonly writable: boolean;
}

/** One option of bwrap(1) with its arguments. */
export type Option = readonly string[];

/** The first descriptor that is free for what bwrap reads; see `Containment.feeds`. */
export const HOSTS_DESCRIPTOR = 4;

/**
 * Everything that is seen inside, in the order in which bwrap builds it. Pure. `spots` are the job's and the
 * command's own; `temp` is the job's private temporary folder, which is /tmp too.
 */
export function mountOptions(view: HostView, spots: readonly Spot[], temp: string): Option[] {
  const top = spots.find(({ at }) => at === '/');
  if (top !== undefined) throw new Error('the whole host cannot be seen inside');
  const all = [...view.spots, ...spots];
  const tmp = temporaryFolder(spots, temp);
  return [
    // The bare system: a new root, and on it what the host has.
    ...view.links.map(({ at, target }) => ['--symlink', target, at]),
    ['--proc', '/proc'],
    // The files of /proc/sys belong to root, and root inside is root outside: its kernel settings too.
    ['--remount-ro', '/proc'],
    ['--dev', '/dev'],
    ['--dir', '/run'],
    ...(below(all, '/var/tmp') ? [] : [['--symlink', '/tmp', '/var/tmp']]),
    ...tmp,
    ...withoutCovered(all).map(bind),
    ...view.masked.map((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

/** What closes the list: nothing may be made beside what was mounted. */
export const CLOSE_ROOT: Option = ['--remount-ro', '/'];

/**
 * /tmp is the job's own folder, the same for all of its commands. But nothing may ever be mounted below a
 * folder that the worker can write: it could put a link where the mount goes. So where something of the job
 * is itself below /tmp, /tmp is an empty one for each command.
 */
function temporaryFolder(spots: readonly Spot[], temp: string): Option[] {
  if (below(spots, '/tmp')) {
    return [
      ['--perms', '1777'],
      ['--tmpfs', '/tmp'],
    ];
  }
  return [['--bind', temp, '/tmp']];
}

function below(spots: readonly Spot[], folder: string): boolean {
  return spots.some(({ at }) => isAtOrBelow(at, folder));
}

/**
 * Outer folders before inner ones, and none that another one shows already. What lies below a writable one
 * is never mounted; see above.
 */
function withoutCovered(spots: readonly Spot[]): Spot[] {
  const kept: Spot[] = [];
  const rank = ({ at, writable }: Spot): string => `${at.replaceAll('/', '\0')}\0${writable ? 0 : 1}`;
  const sorted = spots.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  for (const spot of sorted) {
    const around = kept.findLast(({ at }) => isAtOrBelow(spot.at, at));
    if (around === undefined || !covers(around, spot)) kept.push(spot);
  }
  return kept;
}

function covers(around: Spot, { from, at, writable }: Spot): boolean {
  if (around.writable) return true;
  return !writable && join(around.from, relative(around.at, at)) === from;
}

function bind({ from, at, writable }: Spot): Option {
  // What is to be read may be gone by now, and then is missed inside as it would be outside.
  return writable ? ['--bind', from, at] : ['--ro-bind-try', from, at];
}

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
