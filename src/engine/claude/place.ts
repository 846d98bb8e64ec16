import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFile } from './inside/run-file.ts';
import type { ClaudeOptions } from './options.ts';

/** The worker's programs: the host's tools of the same names. */
export const PROGRAMS = ['ask_supervisor', 'report_progress', 'report_blocker'] as const;

/** The files of a run, all in the job's own folder, which the worker cannot write to. */
export interface Place {
  readonly settings: string;
  readonly system: string;
  readonly agents: string;
  readonly session: string;
  readonly run: string;
  readonly programs: string;
}

export function placeOf(folder: string): Place {
  return {
    settings: join(folder, 'settings.json'),
    system: join(folder, 'system.txt'),
    agents: join(folder, 'agents.json'),
    session: join(folder, 'session.jsonl'),
    run: join(folder, 'run.json'),
    programs: join(folder, 'programs'),
  };
}

/** Writes what the client and the program inside read. `null`: not needed, and not written. */
export function fillPlace(
  place: Place,
  options: Pick<ClaudeOptions, 'node' | 'inside' | 'folder'>,
  texts: {
    readonly settings: string;
    readonly system: string;
    readonly agents: string | null;
    readonly session: string | null;
    readonly run: RunFile;
    readonly programs: readonly string[];
  },
): void {
  mkdirSync(place.programs, { recursive: true, mode: 0o700 });
  for (const name of ['settings', 'system', 'agents', 'session'] as const) {
    const text = texts[name];
    if (text !== null) writeFileSync(place[name], text, { mode: 0o600 });
  }
  writeFileSync(place.run, `${JSON.stringify(texts.run)}\n`, { mode: 0o600 });
  for (const name of texts.programs) {
    const file = join(place.programs, name);
    const command = [options.node, options.inside, 'tool', name].map(quoted).join(' ');
    writeFileSync(file, `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(file, 0o755);
  }
}

/** A word for sh(1), whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
