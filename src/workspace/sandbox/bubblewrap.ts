import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { realPathOrNull } from '../real-path.ts';
import {
  type Argv,
  type Backend,
  type CommandPlace,
  type Containment,
  type JobPlace,
  signalGroup,
} from './containment.ts';
import type { Environment } from './environment.ts';
import { firstProcess, killNamespace, readEnd } from './first-process.ts';
import { type HostView, pathInside, viewHost } from './host-view.ts';
import { CLOSE_ROOT, HOSTS_DESCRIPTOR, isAtOrBelow, mountOptions, type Option, type Spot } from './mounts.ts';
import { childrenOf } from './processes.ts';
import { findSystemProgram } from './programs.ts';
import type { Hidden } from './sandbox.ts';
import { DOWNLOAD_VARIABLES } from './toolchains.ts';

/** The name of the machine inside; it resolves, as some programs want, to the machine itself. */
const HOST_NAME = 'sandbox';
const HOSTS = `127.0.0.1 localhost ${HOST_NAME}\n::1 localhost\n`;

/**
 * Level `full`: bwrap(1), 0.8.0 or newer, from a folder of the system only. null where it, or bash, is not
 * installed; whether it works has to be tried.
 */
export function bubblewrapBackend(): Backend | null {
  const bwrap = findSystemProgram('bwrap');
  const bash = findSystemProgram('bash');
  if (bwrap === null || bash === null) return null;
  return {
    level: 'full',
    backend: 'bubblewrap',
    proves: ['processes', 'sealed'],
    contain: (place) => bubblewrap(bwrap, bash, place),
  };
}

function bubblewrap(bwrap: string, bash: string, place: JobPlace): Containment {
  const view = viewHost(place.environment, place.network);
  return {
    level: 'full',
    backend: 'bubblewrap',
    environment: environmentInside(place, view),
    // The environment goes by itself, never as `--setenv`: arguments are for everybody to see.
    wrap: (argv: Argv, command) => [
      bwrap,
      ...bubblewrapOptions(view, place, command).flat(),
      '--',
      ...firstProcess(bash),
      ...argv,
    ],
    keepsStderr: true,
    feeds: place.network === 'none' ? [HOSTS] : [],
    read: readEnd,
    terminate(leader) {
      // Inside is a session of its own, so the leader's group has only bwrap in it.
      const asked = childrenOf(leader).filter((init) => signalGroup(init, 'SIGTERM'));
      if (asked.length === 0) signalGroup(leader, 'SIGTERM');
    },
    kill: killNamespace,
    // bwrap waits for the first process inside; if it was killed, it did not.
    provesEnd: ({ exitCode }) => exitCode !== null,
  };
}

/** Every option of bwrap for one command; see scripts/mutate-sandbox.ts, which takes each of them away in turn. */
export function bubblewrapOptions(view: HostView, place: JobPlace, command: CommandPlace): Option[] {
  const own = [place.workspace, place.home, place.temp];
  // A path inside of them may be a link of the worker's making, and is seen anyway.
  const beside = (path: string): boolean => !own.some((folder) => isAtOrBelow(path, folder));
  const spots = [
    ...[...own, ...command.writable.filter(beside)].flatMap((path) => spotsOf(path, true)),
    ...[...place.readable, ...command.readable].filter(beside).flatMap((path) => spotsOf(path, false)),
  ];
  return [
    ...HOLD,
    ...(place.network === 'none' ? [['--unshare-net']] : []),
    ['--hostname', HOST_NAME],
    ...mountOptions(view, spots, realpathSync(place.temp)),
    ...(command.hidden ?? []).flatMap((files) => hide(files, spots)),
    ...(place.network === 'none' ? [['--file', String(HOSTS_DESCRIPTOR), '/etc/hosts']] : []),
    CLOSE_ROOT,
    ['--chdir', command.cwd],
  ];
}

const HOLD: readonly Option[] = [
  // A killed runner takes everything along.
  ['--die-with-parent'],
  ['--new-session'],
  // Our own first process: bwrap's would not be waited for.
  ['--as-pid-1'],
  // As root too: with capabilities, or by a further user namespace, a remount from inside would make read-only
  // binds writable on the host (decision 17).
  ['--unshare-user'],
  ['--disable-userns'],
  ['--cap-drop', 'ALL'],
  ['--unshare-pid'],
  ['--unshare-ipc'],
  ['--unshare-uts'],
  ['--unshare-cgroup-try'],
];

/**
 * Covers over files, by every name their folder is seen by. These are the only mounts below a folder the worker can
 * write: a link in the place of one would lead the mount, or the file made for it, elsewhere. So the caller has just
 * seen that there is none, and the next command of the worker begins when this one has ended.
 */
function hide({ cover, paths }: Hidden, spots: readonly Spot[]): Option[] {
  return paths.flatMap((path) =>
    spots
      .filter(({ from }) => isAtOrBelow(path, from))
      .map(({ from, at }) => ['--ro-bind', cover, join(at, relative(from, path))]),
  );
}

/** A path that is a link, or lies behind one, is seen by both of its names. What is not there is not seen. */
function spotsOf(path: string, writable: boolean): Spot[] {
  const real = realPathOrNull(path);
  if (real === null) return [];
  return [...new Set([real, path])].map((at) => ({ from: real, at, writable }));
}

/**
 * The same environment, with PATH as it is inside. With a network a tool's downloads go to the private home,
 * since the user's own are read-only.
 */
function environmentInside({ environment, network }: JobPlace, view: HostView): Environment {
  const visible = [...view.spots, ...view.links].map(({ at }) => at);
  const entries = Object.entries({ ...environment, PATH: pathInside(environment.PATH ?? '', visible) });
  const left = network === 'full' ? DOWNLOAD_VARIABLES : [];
  return Object.fromEntries(entries.filter(([name]) => !left.includes(name)));
}
