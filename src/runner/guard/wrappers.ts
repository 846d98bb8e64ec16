import { afterOptions, type OptionValues } from './options.ts';

interface Wrapper extends OptionValues {
  /** How many words of its own stand before the command. */
  readonly skip: number;
  /** Does `NAME=value` stand before the command? */
  readonly assigns?: boolean;
}

/** Programs that start the command in their arguments, and what stands before it. */
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ['builtin', wrapper()],
  ['busybox', wrapper()],
  ['caffeinate', wrapper('tw')],
  ['chronic', wrapper()],
  ['chroot', wrapper('', 1)],
  ['chrt', wrapper('TPD', 1)],
  ['command', wrapper()],
  ['dbus-run-session', wrapper()],
  ['doas', wrapper('uC')],
  ['env', { ...wrapper('uCS', 0, '--unset', '--chdir'), assigns: true }],
  ['exec', wrapper('a')],
  ['flock', wrapper('wEc', 1, '--wait', '--timeout')],
  ['gtimeout', wrapper('sk', 1, '--signal', '--kill-after')],
  ['ionice', wrapper('cnp', 0, '--class', '--classdata')],
  ['ltrace', wrapper('oeaslnpuS')],
  ['nice', wrapper('n', 0, '--adjustment')],
  ['nohup', wrapper()],
  ['prlimit', wrapper('p')],
  ['setpriv', wrapper('', 0, '--reuid', '--regid')],
  ['setsid', wrapper()],
  ['ssh-agent', wrapper('aEtOP')],
  ['stdbuf', wrapper('ioe', 0, '--input', '--output', '--error')],
  ['strace', wrapper('abeEIoOpPsSuX')],
  ['sudo', { ...wrapper('ugChpTRDrt', 0, '--user', '--group'), assigns: true }],
  ['taskset', wrapper('', 1)],
  ['time', wrapper('of')],
  ['timeout', wrapper('sk', 1, '--signal', '--kill-after')],
  ['unbuffer', wrapper()],
  ['unshare', wrapper('SGRw', 0, '--root', '--wd')],
  ['xargs', wrapper('aEIiLnPsd', 0, '--arg-file', '--delimiter', '--max-args', '--max-procs', '--replace')],
  ['xvfb-run', wrapper('ens')],
]);

function wrapper(letters = '', skip = 0, ...longs: string[]): Wrapper {
  return { letters, longs, skip };
}

export interface Unwrapped {
  readonly argv: readonly string[];
  /** `NAME=value` words the wrapper took. */
  readonly assignments: readonly string[];
}

/** What a wrapper would start, or null when `name` is none. */
export function unwrap(name: string, argv: readonly string[]): Unwrapped | null {
  const known = WRAPPERS.get(name);
  if (known === undefined) return null;
  let start = afterOptions(argv, 1, known);
  const assignments: string[] = [];
  while (known.assigns && /^[A-Za-z_]\w*=/.test(argv[start] ?? '')) {
    assignments.push(argv[start] ?? '');
    start += 1;
  }
  return { argv: argv.slice(start + known.skip), assignments };
}
