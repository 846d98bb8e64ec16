import { join } from 'node:path';
import type { SandboxLevel } from '../../job/record.ts';
import { absolutePath } from '../../workspace/git-environment.ts';
import { gitProgram } from '../../workspace/git-program.ts';
import type { Place } from './place.ts';
import { installShim } from './shim.ts';
import type { Refusal } from './verdict.ts';

/** What the worker's shell needs of the guard. */
export interface Guard {
  /** Where the text guard thinks commands are, but for the folder they start in. */
  readonly folders: Omit<Place, 'cwd'>;
  /** Puts the shim first on PATH, whatever PATH the sandbox gives. */
  readonly env: Readonly<Record<string, string>>;
  /** The shim's folder: outside of everything the worker may write to. */
  readonly readable: readonly string[];
  /** Hears of every refusal. */
  readonly refused: (refusal: Refusal) => void;
}

export interface GuardOptions {
  readonly places: {
    readonly folder: string;
    readonly work: string;
    readonly home: string;
    readonly temp: string;
  };
  /** Where the shim is put; by default in the job's folder. Made afresh, its parent has to be there. */
  readonly programs?: string;
  /** The user's, absolute. */
  readonly checkout: string;
  readonly level: SandboxLevel;
  /** Where git is looked for. */
  readonly path: string | undefined;
  readonly refused: (refusal: Refusal) => void;
}

/** In a job's folder: private copies of the workspace, for shells whose changes are thrown away. */
export const COPIES = 'copies';

/** Writes the shim beside the workspace. Throws a UserError (exit 6) when there is no git. */
export async function openGuard({
  places,
  programs,
  checkout,
  level,
  path,
  refused,
}: GuardOptions): Promise<Guard> {
  // At level full /tmp is the job's own; below it is everybody's.
  const own = [places.temp, places.home, join(places.folder, COPIES), ...(level === 'full' ? ['/tmp'] : [])];
  const folders = { workspace: places.work, checkout, home: places.home, temp: places.temp, own };
  const folder = programs ?? join(places.folder, 'programs');
  const bashEnv = await installShim(folder, gitProgram(places.work, absolutePath(path)), folders);
  return { folders, env: { BASH_ENV: bashEnv }, readable: [folder], refused };
}
