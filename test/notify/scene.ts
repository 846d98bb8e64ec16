import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JobRecord } from '../../src/job/record.ts';
import { isTerminal } from '../../src/job/states.ts';
import { deliver } from '../../src/notify/deliver.ts';
import { publish } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { askingRecord, jobOf } from './jobs.ts';

/** What a hook's process answered. */
export interface HookAnswer {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The text for the model, wherever the event has it. */
  readonly told: string;
  readonly systemMessage: string;
}

/** A client's process, as far as a hook can tell. */
export interface FakeClient {
  readonly pid: number;
  end(): Promise<void>;
}

/** The ids in a text, in order: which notices were told. */
export function toldJobs(text: string): string[] {
  return [...text.matchAll(/^\[delegate\] ([0-9a-z]{6})/gm)].map(([, id = '']) => id);
}

/** A user, a repository and the plugin's hooks as they are built; sessions that begin and end by hooks alone. */
export class Scene {
  readonly userDir: string;
  readonly repo: string;
  readonly plugin: string;

  constructor() {
    const folder = makeFolder('cc-delegate-hooks-');
    this.userDir = join(folder, 'home', '.cc-delegate');
    this.plugin = join(folder, 'plug in');
    mkdirSync(this.plugin);
    cpSync('hooks', join(this.plugin, 'hooks'), { recursive: true });
    symlinkSync(resolve(process.env.CC_DELEGATE_TEST_DIST ?? 'dist'), join(this.plugin, 'dist'));
    this.repo = makeRepository();
  }

  env(session: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: join(this.userDir, '..'),
      CC_DELEGATE_HOME: this.userDir,
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: session,
      CLAUDE_CODE_SESSION_ATTENDED: '1',
      ...more,
    };
  }

  /** Runs `sh hooks/hook.sh EVENT` as the client does. */
  hook(
    event: string,
    session: string,
    input: object | string = {},
    more: Readonly<Record<string, string>> = {},
  ): Promise<HookAnswer> {
    const child = spawn('/bin/sh', [join(this.plugin, 'hooks', 'hook.sh'), event], {
      env: this.env(session, more),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const whole = { session_id: session, cwd: this.repo, hook_event_name: event, ...Object(input) };
    const out = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (out.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (out.stderr += text));
    // A hook that has nothing to do ends without reading.
    child.stdin.on('error', () => undefined);
    child.stdin.end(typeof input === 'string' ? input : JSON.stringify(whole));
    onTestFinished(() => void child.kill('SIGKILL'));
    return new Promise((settle) => {
      child.on('close', (exit) => settle({ exit, ...out, ...understood(out) }));
    });
  }

  /** A session begins in a client's process. */
  begin(session: string, client: FakeClient, source = 'startup', cwd = this.repo): Promise<HookAnswer> {
    return this.hook('SessionStart', session, { source, cwd }, { CLAUDE_PID: String(client.pid) });
  }

  rung(session: string): Promise<HookAnswer> {
    return this.hook('FileChanged', session, { file_path: this.bell(session), event: 'change' });
  }

  bell(session: string): string {
    return join(this.userDir, 'bells', session);
  }

  rings(session: string): number {
    return existsSync(this.bell(session)) ? readFileSync(this.bell(session)).length : 0;
  }

  /** The names in `deliveries/<owner>`; null when it is not there. */
  deliveries(owner: string): string[] | null {
    const folder = join(this.userDir, 'deliveries', owner);
    return existsSync(folder) ? readdirSync(folder).sort() : null;
  }

  /** A job of a session that runs, as `start` leaves it: this process stands for its runner. */
  job(session: string | null, change: Partial<JobRecord> = {}): JobRecord {
    return jobOf(this.repo, session, this.userDir, change);
  }

  /** Publishes what comes next of a job, as its runner does. */
  save(record: JobRecord, change: Partial<JobRecord>): JobRecord {
    const at = new Date().toISOString();
    const end = change.state !== undefined && isTerminal(change.state) ? { endedAt: at } : {};
    const next = { ...record, question: null, openQuestions: 0, ...end, ...change, rev: record.rev + 1 };
    publish(openStore(this.repo, { create: false }), next);
    deliver(this.userDir, next);
    return next;
  }

  ask(record: JobRecord, message = 'Keep the v1 API?', id = 'q1'): JobRecord {
    const { state, question, openQuestions } = askingRecord(record, message, id);
    return this.save(record, { state, question, openQuestions });
  }
}

function understood({ stdout, stderr }: { stdout: string; stderr: string }): {
  told: string;
  systemMessage: string;
} {
  try {
    const { hookSpecificOutput = {}, systemMessage = '' } = JSON.parse(stdout);
    return { told: hookSpecificOutput.additionalContext ?? '', systemMessage };
  } catch {
    // The bell answers in words on stderr.
    return { told: stderr, systemMessage: '' };
  }
}

/** A process that lives until the test ends or says so. */
export function fakeClient(): FakeClient {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  const ended = new Promise<void>((settle) => child.once('exit', () => settle()));
  const end = (): Promise<void> => {
    child.kill('SIGKILL');
    return ended;
  };
  onTestFinished(end);
  if (child.pid === undefined) throw new Error('no sleep');
  return { pid: child.pid, end };
}
