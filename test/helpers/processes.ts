import { readdirSync, readFileSync } from 'node:fs';

/** Every living process of a job, by what it was marked with: its pid and its arguments. */
export function processesOf(id: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/environ`).split('\0').includes(`CC_DELEGATE_JOB=${id}`))
    .map((pid) => `${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

/** A file that may go while we look, e.g. of a process that ends: then ''. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It ended between two looks.
    return '';
  }
}
