import { type Containment, signalGroup, signalIfThere } from './containment.ts';
import { childrenOf } from './processes.ts';
import { findSystemProgram } from './programs.ts';

/** What the first process says when it is there; after that only unshare can say anything, about a mishap. */
const STARTED = 'started';

/**
 * The first process of the namespace. The kernel spares it every signal without a handler, so it may not be
 * the command itself: `kill -9 $$` would do nothing. It lets no file of ours through to the command
 * (whose stderr comes in as 3), reaps orphans, and hands the exit code on; a signal becomes 128 + its
 * number. When it ends, the kernel kills whatever is left inside before anybody hears of it.
 */
const INIT = [
  `echo ${STARTED} >&2`,
  'exec 2>/dev/null',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's own
  'for file in /proc/self/fd/*; do number=${file##*/}; [ "$number" -gt 3 ] && eval "exec $number>&-"; done',
  '(exec "$@") 2>&3 3>&-',
  'exit $?',
].join('; ');

/**
 * Level `process`: one pid namespace for each command, by util-linux (setpriv(1), unshare(1)). The death of
 * this process, even by KILL, takes the namespace along: the kernel's parent-death signal goes from us to
 * unshare and from there to the first process inside. That signal is tied to the thread that started the
 * command, so commands are started from the main thread. What may work here, the best first; try it.
 */
export function namespaceCandidates(): Containment[] {
  const setpriv = findSystemProgram('setpriv');
  const unshare = findSystemProgram('unshare');
  const bash = findSystemProgram('bash');
  if (setpriv === null || unshare === null || bash === null) return [];
  const ways = process.getuid?.() === 0 ? [[], USER_NAMESPACE] : [USER_NAMESPACE];
  return ways.map((own) =>
    namespace([
      ...([setpriv, '--pdeathsig', 'KILL', '--'] as const),
      ...[unshare, ...own, '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
      ...[bash, '--norc', '--noprofile', '-p', '-c', INIT, 'cc-delegate'],
    ]),
  );
}

/** Who is not root needs a user namespace to make the others; inside, everybody keeps their own number. */
const USER_NAMESPACE = ['--user', '--map-current-user'] as const;

function namespace(prefix: readonly [string, ...string[]]): Containment {
  return {
    level: 'process',
    backend: 'unshare',
    wrap: (argv) => [...prefix, ...argv],
    keepsStderr: true,
    read(ended, said) {
      if (!said.startsWith(STARTED)) return { notStarted: said.trim() };
      const mishap = said.slice(STARTED.length).trim();
      // unshare complains and exits with 1 when the first process was killed, e.g. for want of memory.
      return mishap === '' ? ended : { exitCode: null, signal: 'SIGKILL' };
    },
    kill(leader) {
      // Only the init: unshare waits for it, and it is gone only when its whole namespace is.
      const inits = childrenOf(leader);
      if (inits.length === 0) signalGroup(leader, 'SIGKILL');
      for (const init of inits) signalIfThere(init, 'SIGKILL');
    },
    // A leader that ended by a signal did not wait for the namespace.
    provesEnd: ({ exitCode }) => exitCode !== null,
  };
}
