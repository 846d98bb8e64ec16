import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { JobId } from '../../job/ids.ts';
import type { Network, SandboxLevel } from '../../job/record.ts';
import { type Containment, type Ended, signalGroup } from './containment.ts';
import { type Environment, workerEnvironment } from './environment.ts';
import { backendFor, bestLevel } from './levels.ts';
import { commandFolder } from './place.ts';
import { seeProcess } from './processes.ts';
import { DEFAULT_PACE, type Pace, runCommand } from './run-command.ts';
import type { Command, CommandResult, Sandbox, Service, ServiceCommand } from './sandbox.ts';
import { startService } from './service.ts';
import { sweep, sweepJob } from './sweep.ts';
import { findToolchains } from './toolchains.ts';

export interface SandboxOptions {
  readonly jobId: JobId;
  /** Absolute. */
  readonly workspace: string;
  /** The private home and the private temporary folder; made (mode 0700) if they are missing. */
  readonly home: string;
  readonly temp: string;
  /** The record's: this level and no other. Without it, the best there is. */
  readonly levelWanted?: SandboxLevel;
  /** The user's sandbox runtime, for a job that was started with it. */
  readonly runtime?: string | null;
  /** Folders beside the workspace that every command may read: the object directories the clone borrows from. */
  readonly readable?: readonly string[];
  /** Default none, which only level `full` can see to. */
  readonly network?: Network;
  /** Variables the user named, with their values. */
  readonly passEnv: Environment;
  /** Whose environment the allow-list reads; this process's own by default. */
  readonly callerEnv?: Readonly<Record<string, string | undefined>>;
  readonly pace?: Pace;
}

/**
 * Opens the place where everything of one job runs. Throws a UserError (exit 6) when the wanted level is not
 * to be had: there is no silent downgrade. `run` throws one (`workspace_lost`) when the folder is gone.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { runtime = null } = options;
  const backend = await backendFor(options.levelWanted ?? (await bestLevel(runtime)).level, runtime);
  for (const folder of [options.home, options.temp]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const caller = options.callerEnv ?? process.env;
  const containment = backend.contain({
    workspace: options.workspace,
    home: options.home,
    temp: options.temp,
    readable: options.readable ?? [],
    network: options.network ?? 'none',
    environment: workerEnvironment({ ...options, caller, toolchains: findToolchains(caller) }),
  });
  return new HeldSandbox(options, containment);
}

/** Marks the processes of one command among those of its job. */
const COMMAND_MARKER = 'CC_DELEGATE_COMMAND';

class HeldSandbox implements Sandbox {
  readonly level: Sandbox['level'];
  readonly backend: string;
  readonly #options: SandboxOptions;
  readonly #containment: Containment;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  /** One job may have two sandboxes at once: the worker's and the gate's. */
  readonly #name = randomBytes(4).toString('hex');
  #commands = 0;
  #closed = false;

  constructor(options: SandboxOptions, containment: Containment) {
    this.level = containment.level;
    this.backend = containment.backend;
    this.#options = options;
    this.#containment = containment;
  }

  async run(command: Command): Promise<CommandResult> {
    const held = await this.#hold(command);
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    if (command.signal?.aborted) stop.abort();
    command.signal?.addEventListener('abort', onAbort, { once: true });
    const running = runCommand({ ...held, command: { ...command, cwd: held.cwd, signal: stop.signal } });
    this.#running.set(stop, running);
    try {
      return await running;
    } finally {
      this.#running.delete(stop);
      command.signal?.removeEventListener('abort', onAbort);
    }
  }

  async serve(command: ServiceCommand): Promise<Service> {
    const held = await this.#hold(command);
    const service = await startService({ ...held, command: { ...command, cwd: held.cwd } });
    const stop = new AbortController();
    stop.signal.addEventListener('abort', () => void service.stop(), { once: true });
    this.#running.set(stop, service.ended);
    void service.ended.then(() => this.#running.delete(stop));
    // It may have been closed while the program was being started.
    if (this.#closed) await service.stop();
    return service;
  }

  /** What every start needs: a folder that may be started in, and a mark of its own on what comes of it. */
  async #hold(command: ServiceCommand) {
    const cwd = await commandFolder(command.cwd, [...this.#folders, ...(command.writable ?? [])]);
    if (this.#closed) throw new Error('a command was given to a sandbox that is closed');
    this.#commands += 1;
    const marker = `${this.#options.jobId}.${this.#name}.${this.#commands}`;
    const environment = { ...this.#containment.environment, [COMMAND_MARKER]: marker };
    return {
      cwd,
      containment: { ...this.#containment, environment },
      pace: this.#options.pace ?? DEFAULT_PACE,
      clear: (leader: number, ended: Ended) => this.#clear(leader, ended, `${COMMAND_MARKER}=${marker}`),
    };
  }

  async dispose(): Promise<readonly string[]> {
    this.#closed = true;
    for (const stop of this.#running.keys()) stop.abort();
    await Promise.allSettled(this.#running.values());
    const { jobId } = this.#options;
    const { survivors } = await sweepJob(jobId, this.#folders, { startedAfter: ownStartTime() });
    return survivors;
  }

  get #folders(): readonly string[] {
    return [this.#options.workspace, this.#options.home, this.#options.temp];
  }

  /** Ends what a command left behind where the level alone does not; `dispose` lists what stays. */
  async #clear(leader: number, ended: Ended, marker: string): Promise<void> {
    if (this.#containment.provesEnd(ended)) return;
    signalGroup(leader, 'SIGKILL');
    // A stray without the marker may be any command's, so it is looked for only when this one is alone.
    const folders = this.#running.size > 1 ? [] : this.#folders;
    await sweep({ marker, folders, startedAfter: ownStartTime() });
  }
}

/** Nothing that is older than this process can be the work of its commands. */
function ownStartTime(): number {
  return seeProcess(process.pid)?.startTime ?? 0;
}
