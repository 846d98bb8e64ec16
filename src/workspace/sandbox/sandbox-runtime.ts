import { createHash } from 'node:crypto';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Argv, Backend, CommandPlace, Containment, JobPlace } from './containment.ts';
import { PROCESS_GROUP } from './process-group.ts';

/** The settings file of `srt`, as far as we use it; see the README of @anthropic-ai/sandbox-runtime 0.0.83. */
interface RuntimeSettings {
  readonly network: { readonly allowedDomains: readonly string[]; readonly deniedDomains: readonly string[] };
  readonly filesystem: {
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
  };
}

/**
 * Anthropic's sandbox runtime, for systems without bubblewrap of ours, above all macOS. It is not a part of
 * this package: `program` is the absolute path of its `srt`, from the user's own settings. It hides the user's
 * home and everything of ours but the job, and gives no network; what is outside of the home can be read, and how
 * it holds processes differs from system to system. So it is level `process`, and what is left is swept up.
 * Tested on Linux; on macOS it is not verified.
 */
export function sandboxRuntimeBackend(program: string): Backend {
  return {
    level: 'process',
    backend: 'sandbox-runtime',
    proves: ['hidden'],
    contain: (place) => contain(program, place),
  };
}

/** Held like level `none`, by group and sweep; what the runtime adds is around the command. */
function contain(program: string, place: JobPlace): Containment {
  return {
    ...PROCESS_GROUP.contain(place),
    level: 'process',
    backend: 'sandbox-runtime',
    wrap: (argv: Argv, command) => [
      process.execPath,
      program,
      '--settings',
      settingsFile(place, runtimeSettings(place, command, program)),
      '--',
      ...argv,
    ],
  };
}

/** What one command may reach. Pure but for the names of the user's home and of this machine's temporary folder. */
export function runtimeSettings(place: JobPlace, command: CommandPlace, program: string): RuntimeSettings {
  const own = [place.workspace, place.home, place.temp];
  // Of everybody's folders only ours are wanted, and of ours only this job's.
  const hidden = [homedir(), '/root', '/home', '/Users', tmpdir(), '/tmp', dirname(dirname(place.home))];
  return {
    network: { allowedDomains: place.network === 'full' ? ['*'] : [], deniedDomains: [] },
    filesystem: {
      denyRead: [
        ...new Set(hidden.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder))),
      ],
      allowRead: [
        ...own,
        ...command.writable,
        ...place.readable,
        ...command.readable,
        ...toolchains(place),
        packageOf(program),
      ],
      allowWrite: [...own, ...command.writable],
      denyWrite: [],
    },
  };
}

/** `<package>/dist/cli.js`: the runtime starts a helper of its own inside. */
function packageOf(program: string): string {
  return dirname(dirname(existsSync(program) ? realpathSync(program) : program));
}

/** Where PATH leads, and our own node. */
function toolchains({ environment }: JobPlace): string[] {
  const entries = (environment.PATH ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return [...entries.map((entry) => dirname(entry)), dirname(dirname(process.execPath))].filter(
    (folder) => folder !== '/',
  );
}

/** Beside the job's folders, where no command can write; one file for each content. */
function settingsFile(place: JobPlace, settings: RuntimeSettings): string {
  const text = JSON.stringify(settings);
  const name = `sandbox-runtime-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`;
  const file = join(dirname(place.home), name);
  if (!existsSync(file)) writeFileSync(file, text, { mode: 0o600 });
  return file;
}
