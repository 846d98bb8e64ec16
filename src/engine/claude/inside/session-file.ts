import {
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';

/** The client's session files: `<configuration>/projects/<folder>/<session>.jsonl` (2.1.332). */
export class SessionFiles {
  readonly #projects: string;

  constructor(configFolder: string) {
    this.#projects = join(configFolder, 'projects');
  }

  /** The file of this session, wherever the client has it; null: there is none. */
  find(session: string): string | null {
    return this.all().find((file) => file.endsWith(`/${session}.jsonl`)) ?? null;
  }

  /** Every session's own file. Those of sub-agents lie deeper. */
  all(): string[] {
    return names(this.#projects).flatMap((folder) =>
      names(join(this.#projects, folder))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(this.#projects, folder, name)),
    );
  }

  /**
   * Puts a conversation where the client looks for it. One that is there already is the same with nothing taken
   * out, and stays; a line that was torn by a kill is cut off it. Returns the file's length.
   */
  restore(session: string, from: string, cwd: string): number {
    const there = this.find(session);
    if (there !== null && sizeOf(there) > 0) return cutTornLine(there);
    // The client finds a session by its name in every folder; this is the one it would take itself.
    const folder = join(this.#projects, cwd.replace(/[^a-zA-Z0-9]/g, '-').slice(0, 200));
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${session}.jsonl`);
    copyFileSync(from, file);
    return sizeOf(file);
  }
}

/** The bytes of a file from an offset up to its last whole line; empty where there is none. */
export function wholeLinesFrom(file: string, offset: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(handle).size - offset));
    const read = readSync(handle, bytes, 0, bytes.length, offset);
    return bytes.subarray(0, bytes.subarray(0, read).lastIndexOf(0x0a) + 1);
  } finally {
    closeSync(handle);
  }
}

function cutTornLine(file: string): number {
  const whole = wholeLinesFrom(file, 0).length;
  if (whole < sizeOf(file)) truncateSync(file, whole);
  return whole;
}

function sizeOf(file: string): number {
  return statSync(file).size;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there yet: the client makes it with its first line.
    return [];
  }
}
