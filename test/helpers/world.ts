import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type Script, type ScriptedModel, startScriptedModel } from '../../src/engine/scripted/server.ts';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import type { JobRecord } from '../../src/job/record.ts';
import { isTerminal } from '../../src/job/states.ts';
import { readEvents } from '../../src/store/events.ts';
import { liveness, signalRunner } from '../../src/store/liveness.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { runPaths } from '../../src/store/paths.ts';
import { activeJobs, readJob } from '../../src/store/read-job.ts';
import { type Files, makeFolder, makeRepository } from './repository.ts';

/** A bound for a machine that is busy with other tests, not a wait: every wait ends with what it waits for. */
const PATIENCE_SECONDS = 90;

/** What a command of the program answered. */
export interface Answer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON object on stdout; fails the test when there is none. */
  json<T = Record<string, unknown>>(): T;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
  readonly input?: string;
}

/** A repository, a user, a scripted model and the built program, all real and all of this test alone. */
export interface World {
  readonly folder: string;
  readonly repository: string;
  readonly home: string;
  readonly state: string;
  readonly model: ScriptedModel;
  readonly env: Record<string, string>;
  /** The built program's entry, for tests that spawn it by themselves. */
  readonly program: string;
  /** Runs `cc-delegate …` in the repository, with an environment made from nothing. */
  run(args: readonly string[], options?: RunOptions): Promise<Answer>;
  /** The same, as a process of its own that the caller looks after. */
  spawn(args: readonly string[], options?: RunOptions): ChildProcess;
  /** Starts a task and returns its id. Fails the test when start does not exit 0. */
  start(args?: readonly string[], options?: RunOptions): Promise<JobId>;
  /** Waits until a job has ended; `seconds` (90) at the most. */
  ended(id: JobId, seconds?: number): Promise<JobRecord>;
  /** Waits until `holds` is true of the record, `seconds` (90) at the most. */
  until(id: JobId, holds: (record: JobRecord) => boolean, seconds?: number): Promise<JobRecord>;
  record(id: JobId): JobRecord;
  store(): Store;
  /** The events of a job that are of this kind. */
  events(id: JobId, kind?: string): Record<string, unknown>[];
  patch(id: JobId): Buffer;
}

export interface WorldOptions {
  readonly script?: Script;
  readonly files?: Files;
  /** Makes the repository by hand; gets the folder where it has to be. */
  readonly prepare?: (repository: string) => void;
  /** Name of the repository's folder. */
  readonly name?: string;
  readonly api?: 'openai-chat' | 'anthropic';
  /** US dollars per million tokens, [input, output]; null leaves the price unknown. */
  readonly prices?: readonly [number, number] | null;
}

/** Makes a world. Everything in it, jobs that still run included, is gone when the test ends. */
export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const folder = makeFolder('cc-delegate-world-');
  const repository = join(folder, options.name ?? 'repository');
  mkdirSync(repository);
  if (options.prepare) options.prepare(repository);
  else makeRepository(options.files ?? { 'README.md': 'hello\n' }, repository);
  const model = await startScriptedModel({ script: options.script ?? [{ text: 'done' }] });
  const home = join(folder, 'home');
  const state = join(folder, 'state');
  mkdirSync(home);
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    CC_DELEGATE_HOME: join(home, '.cc-delegate'),
    CC_DELEGATE_STATE: state,
    GIT_CONFIG_NOSYSTEM: '1',
    NO_COLOR: '1',
  };
  const program = join(process.env.CC_DELEGATE_TEST_DIST ?? 'dist', 'cli.js');
  const world = new RealWorld({ folder, repository, home, state, model, env, program });
  onTestFinished(() => world.end());
  world.configure(options.api ?? 'openai-chat', options.prices === undefined ? [1, 10] : options.prices);
  return world;
}

type Places = Pick<World, 'folder' | 'repository' | 'home' | 'state' | 'model' | 'env' | 'program'>;

class RealWorld implements World {
  readonly folder: string;
  readonly repository: string;
  readonly home: string;
  readonly state: string;
  readonly model: ScriptedModel;
  readonly env: Record<string, string>;
  readonly program: string;

  constructor(places: Places) {
    this.folder = places.folder;
    this.repository = places.repository;
    this.home = places.home;
    this.state = places.state;
    this.model = places.model;
    this.env = places.env;
    this.program = places.program;
  }

  /** By hand, not by the program: its own tests show that it writes this form, and a world is made often. */
  configure(api: 'openai-chat' | 'anthropic', prices: readonly [number, number] | null): void {
    const anthropic = api === 'anthropic';
    const profile = {
      provider: anthropic ? 'anthropic-compatible' : 'openai-compatible',
      model: 'scripted',
      baseUrl: anthropic ? this.model.anthropicUrl : this.model.url,
      ...(prices && { prices: { input: prices[0], output: prices[1] } }),
    };
    const config = {
      defaultProfile: 'test',
      sandbox: { allowUnsandboxed: true },
      profiles: { test: profile },
    };
    const folder = join(this.home, '.cc-delegate');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [this.program, ...args],
        { cwd: options.cwd ?? this.repository, env: this.#env(options), maxBuffer: 1 << 28 },
        (_error, stdout, stderr) => {
          const exit = child.exitCode ?? -1;
          resolve({
            exit,
            stdout,
            stderr,
            json: <T>() => {
              try {
                return JSON.parse(stdout) as T;
              } catch {
                throw new Error(`no JSON on stdout (exit ${exit}): ${stdout}\n${stderr}`);
              }
            },
          });
        },
      );
      child.stdin?.end(options.input ?? '');
    });
  }

  spawn(args: readonly string[], options: RunOptions = {}): ChildProcess {
    return spawn(process.execPath, [this.program, ...args], {
      cwd: options.cwd ?? this.repository,
      env: this.#env(options),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async succeed(args: readonly string[], options?: RunOptions): Promise<Answer> {
    const answer = await this.run(args, options);
    if (answer.exit !== 0)
      throw new Error(`cc-delegate ${args.join(' ')} ended with ${answer.exit}: ${answer.stderr}`);
    return answer;
  }

  async start(args: readonly string[] = [], options?: RunOptions): Promise<JobId> {
    const answer = await this.succeed(['start', 'do the task', '--json', ...args], options);
    return answer.json<{ id: JobId }>().id;
  }

  /** Looks at the files by itself: a process that waits would cost as much as the job. */
  async ended(id: JobId, seconds = PATIENCE_SECONDS): Promise<JobRecord> {
    const ended = (record: JobRecord): boolean => isTerminal(record.state);
    const lost = ({ runner }: JobRecord): boolean => runner !== null && liveness(runner) === 'dead';
    const record = await this.until(id, (now) => ended(now) || lost(now), seconds);
    // Only a reader of the program notices a death.
    if (!ended(record)) await this.run(['status', id]);
    return this.until(id, ended, seconds);
  }

  async until(
    id: JobId,
    holds: (record: JobRecord) => boolean,
    seconds = PATIENCE_SECONDS,
  ): Promise<JobRecord> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const record = this.record(id);
      if (holds(record)) return record;
      if (performance.now() > deadline) {
        throw new Error(`waited in vain: ${JSON.stringify(record)}\n${this.#runnerLog(id)}`);
      }
      await sleep(60);
    }
  }

  record(id: JobId): JobRecord {
    const read = readJob(this.store(), id);
    if (read.kind !== 'ok') throw new Error(`${id}: ${JSON.stringify(read)}`);
    return read.record;
  }

  store(): Store {
    return openStore(this.repository, { create: false });
  }

  events(id: JobId, kind?: string): Record<string, unknown>[] {
    const { events } = readEvents(runPaths(this.store(), id).events);
    return events.filter((event) => kind === undefined || event.t === kind);
  }

  patch(id: JobId): Buffer {
    return readFileSync(runPaths(this.store(), id).patch);
  }

  async end(): Promise<void> {
    const runners = this.#runners();
    for (const identity of runners) signalRunner(identity, 'SIGKILL');
    while (runners.some((identity) => liveness(identity) !== 'dead')) await sleep(10);
    await this.model.close();
  }

  #runners() {
    try {
      return activeJobs(this.store()).flatMap((job) =>
        job.kind === 'ok' && job.record.runner ? [job.record.runner] : [],
      );
    } catch {
      // A test may have taken the store away on purpose.
      return [];
    }
  }

  #runnerLog(id: JobId): string {
    const log = runPaths(this.store(), id).runnerLog;
    return existsSync(log) ? readFileSync(log, 'utf8') : '(no runner.log)';
  }

  #env(options: RunOptions): Record<string, string> {
    const merged = Object.entries({ ...this.env, ...options.env });
    return Object.fromEntries(
      merged.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }
}

/** A scripted call of the worker's shell. */
export function bash(command: string, timeoutSeconds?: number) {
  return { name: 'bash', args: timeoutSeconds === undefined ? { command } : { command, timeoutSeconds } };
}

/** A scripted call of the worker's `write`. */
export function write(path: string, content: string) {
  return { name: 'write', args: { path, content } };
}

/** A scripted grader's word: every criterion is met, with this evidence. */
export function satisfied(criteria: readonly string[], evidence: string): Turn {
  const judged = criteria.map((text) => ({ text, pass: true, evidence }));
  const args = { verdict: 'satisfied', explanation: 'all of it holds', criteria: judged };
  return { calls: [{ name: 'verdict', args }] };
}
