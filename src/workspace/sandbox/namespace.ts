import { type Backend, type Containment, signalGroup } from './containment.ts';
import { firstProcess, killNamespace, readEnd } from './first-process.ts';
import { findSystemProgram } from './programs.ts';

/**
 * Level `process`: one pid namespace for each command, by util-linux (setpriv(1), unshare(1)). The death of
 * this process, even by KILL, takes the namespace along: the kernel's parent-death signal goes from us to
 * unshare and from there to the first process inside. That signal is tied to the thread that started the
 * command, so commands are started from the main thread. What may work here, the best first; try it.
 */
export function namespaceBackends(): Backend[] {
  const setpriv = findSystemProgram('setpriv');
  const unshare = findSystemProgram('unshare');
  const bash = findSystemProgram('bash');
  if (setpriv === null || unshare === null || bash === null) return [];
  const ways = process.getuid?.() === 0 ? [[], USER_NAMESPACE] : [USER_NAMESPACE];
  return ways.map((own) =>
    namespace([
      ...([setpriv, '--pdeathsig', 'KILL', '--'] as const),
      ...[unshare, ...own, '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
      ...firstProcess(bash),
    ]),
  );
}

/** Who is not root needs a user namespace to make the others; inside, everybody keeps their own number. */
const USER_NAMESPACE = ['--user', '--map-current-user'] as const;

function namespace(prefix: readonly [string, ...string[]]): Backend {
  const held: Omit<Containment, 'environment'> = {
    level: 'process',
    backend: 'unshare',
    wrap: (argv) => [...prefix, ...argv],
    keepsStderr: true,
    feeds: [],
    read: readEnd,
    terminate: (leader) => signalGroup(leader, 'SIGTERM'),
    kill: killNamespace,
    // A leader that ended by a signal did not wait for the namespace.
    provesEnd: ({ exitCode }) => exitCode !== null,
  };
  return {
    level: held.level,
    backend: held.backend,
    proves: ['processes'],
    contain: ({ environment }) => ({ ...held, environment }),
  };
}
