import { type Containment, type Ended, signalGroup, signalIfThere } from './containment.ts';
import { childrenOf } from './processes.ts';

/** What the first process says when it is there; after that only what is around it can say anything. */
const STARTED = 'started';

/**
 * The most processes and threads one command may have at once. The largest parallel builds stay in the
 * hundreds; a fork bomb is stopped before the machine feels it. The kernel counts by user and user namespace
 * (since Linux 5.14), so that nothing else of the user's counts; it does not count for root (see setrlimit(2)).
 */
export const MAX_PROCESSES = 4_096;
/** The largest file, in KiB: 4 GiB, more than any build leaves, less than what fills a disk. Holds for root too. */
export const MAX_FILE_KIB = 4 * 1024 * 1024;
/** The most open files of one process: what servers ask for at the most. */
export const MAX_OPEN_FILES = 65_536;

/**
 * The first process of a namespace, a bash script. The kernel spares it every signal without a handler, so it
 * may not be the command itself: `kill -9 $$` would do nothing. It sets the limits (one that is lower already
 * stays), lets no file of ours through to the command (whose stderr comes in as 3), reaps orphans, and hands
 * the exit code on; a signal becomes 128 + its number. When it ends, the kernel kills whatever is left
 * inside before anybody hears of it. No limit on address space: V8, Go and sanitizers reserve terabytes.
 */
const SCRIPT = [
  `echo ${STARTED} >&2`,
  'exec 2>/dev/null',
  `ulimit -c 0; ulimit -f ${MAX_FILE_KIB}; ulimit -u ${MAX_PROCESSES}; ulimit -Hn ${MAX_OPEN_FILES}`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's own
  'for file in /proc/self/fd/*; do number=${file##*/}; [ "$number" -gt 3 ] && eval "exec $number>&-"; done',
  '(exec "$@") 2>&3 3>&-',
  'exit $?',
].join('; ');

/** What comes before the command's argv where `bash` is the first process of a namespace. */
export function firstProcess(bash: string): readonly [string, ...string[]] {
  return [bash, '--norc', '--noprofile', '-p', '-c', SCRIPT, 'cc-delegate'];
}

/** How a command ended whose first process speaks like the one above. */
export function readEnd(ended: Ended, said: string): ReturnType<Containment['read']> {
  if (!said.startsWith(STARTED)) return { notStarted: said.trim() };
  const mishap = said.slice(STARTED.length).trim();
  // What is around complains when the first process was killed, e.g. for want of memory.
  return mishap === '' ? ended : { exitCode: null, signal: 'SIGKILL' };
}

/** Kills the first process: the leader waits for it, and it is gone only when its whole namespace is. */
export function killNamespace(leader: number): void {
  const inits = childrenOf(leader);
  if (inits.length === 0) signalGroup(leader, 'SIGKILL');
  for (const init of inits) signalIfThere(init, 'SIGKILL');
}
