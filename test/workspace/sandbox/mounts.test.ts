import { describe, expect, it } from 'vitest';
import type { HostView } from '../../../src/workspace/sandbox/host-view.ts';
import { mountOptions, type Spot } from '../../../src/workspace/sandbox/mounts.ts';

const VIEW: HostView = {
  links: [{ at: '/bin', target: 'usr/bin' }],
  spots: [{ from: '/usr', at: '/usr', writable: false }],
  masked: ['/usr/etc/npmrc'],
};
const JOB = '/home/u/.state/job';

const write = (at: string, from = at): Spot => ({ from, at, writable: true });
const read = (at: string, from = at): Spot => ({ from, at, writable: false });

/** The mounts as `rw /path`, `ro /path`, in their order. */
function mounts(spots: readonly Spot[]): string[] {
  return mountOptions(VIEW, spots, `${JOB}/tmp`).flatMap(([option, ...args]) => {
    if (option === '--bind') return [`rw ${args[1]}`];
    if (option === '--ro-bind-try' || option === '--ro-bind') return [`ro ${args[1]}`];
    return option === '--tmpfs' ? [`empty ${args[0]}`] : [];
  });
}

describe('the mounts of a command', () => {
  it('show the system, the job and nothing else, the masks last', () => {
    const spots = [write(`${JOB}/work`), write(`${JOB}/home`), read('/home/u/project/.git/objects')];
    expect(mounts(spots)).toEqual([
      'rw /tmp',
      `rw ${JOB}/home`,
      `rw ${JOB}/work`,
      'ro /home/u/project/.git/objects',
      'ro /usr',
      'ro /usr/etc/npmrc',
    ]);
  });

  it('put an outer folder before an inner one, whatever is between them in the alphabet', () => {
    expect(mounts([write('/a/b/c'), read('/a/b'), read('/a/b!')])).toEqual([
      'rw /tmp',
      'ro /a/b',
      'rw /a/b/c',
      'ro /a/b!',
      'ro /usr',
      'ro /usr/etc/npmrc',
    ]);
  });

  it.each([
    ['what a read-only one shows already', [read('/usr/lib/x')], []],
    ['what is writable anyway', [write('/w'), read('/w/in')], ['rw /w']],
    ['one that is to be written and to be read', [read('/w'), write('/w')], ['rw /w']],
    // The worker could put a link where the mount goes.
    ['anything below a folder the worker can write', [write('/w'), write('/w/in', '/else')], ['rw /w']],
  ])('leave out %s', (_, spots, left) => {
    expect(mounts(spots)).toEqual(['rw /tmp', 'ro /usr', ...left, 'ro /usr/etc/npmrc']);
  });

  it('keep what shows something else in its place', () => {
    expect(mounts([read('/usr/share/x', '/else')])).toContain('ro /usr/share/x');
  });

  it('never go below a /tmp that the worker keeps: where the job is there, /tmp is empty each time', () => {
    const found = mounts([write('/tmp/state/work'), write('/tmp/state/tmp')]);
    expect(found.slice(0, 2)).toEqual(['empty /tmp', 'rw /tmp/state/tmp']);
    expect(found).not.toContain('rw /tmp');
  });

  it('cannot show the whole host', () => {
    expect(() => mounts([read('/')])).toThrow(/whole host/);
  });
});
