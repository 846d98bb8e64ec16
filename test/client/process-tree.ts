import { readdirSync, readFileSync } from 'node:fs';

/** Kills a process and everything below it that still has its parent. Nothing happens without a pid. */
export function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  // Children first looked up, then killed: a dead parent's children are nobody's.
  for (const one of [...below(pid), pid]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== 'Z';
}

function below(pid: number): number[] {
  const children = readdirSync('/proc').flatMap((name) => {
    const one = Number(name);
    return statOf(one)?.parent === pid ? [one] : [];
  });
  return children.flatMap((child) => [...below(child), child]);
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  if (!Number.isInteger(pid)) return undefined;
  try {
    // Behind the name, which may hold anything: state, parent.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]) };
  } catch {
    return undefined;
  }
}
