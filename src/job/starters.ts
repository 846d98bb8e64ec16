/** Shells whose scripts can be read as those of bash. */
export const SHELLS = /^(ba|da|z|k|mk|a|rba|ya|hu)?sh$/;

/** What reads a script of its own from its words, a file or its input, and runs it. */
const READERS = /^(eval|source|\.|trap|alias|fish|t?csh)$/;

/** Programs that start what stands in their arguments. */
const WRAPPERS = new Set(
  (
    'env command builtin exec nohup setsid xargs find parallel time timeout gtimeout nice ionice chrt taskset stdbuf ' +
    'unbuffer sudo doas su runuser chroot unshare setpriv prlimit flock script watch strace ltrace busybox'
  ).split(' '),
);

/** The name of the program a command word means, without the folder it is in. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Does a program of this name read a script and run it? */
export function readsScripts(name: string): boolean {
  return SHELLS.test(name) || READERS.test(name);
}

/** Can a program of this name start any other one: one in its arguments, or one of a script it reads? */
export function startsOthers(name: string): boolean {
  return WRAPPERS.has(name) || readsScripts(name);
}
