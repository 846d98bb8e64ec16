import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { createClaudeEngine } from '../../../src/engine/claude/engine.ts';
import type { ClaudeOptions, Launch, Launched } from '../../../src/engine/claude/options.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Clock } from '../../../src/engine/http/retry.ts';
import { createNativeEngine } from '../../../src/engine/native/engine.ts';
import type { SandboxLevel } from '../../../src/job/record.ts';
import type { ServiceEnd } from '../../../src/workspace/sandbox/sandbox.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { makeSandbox, textOf } from '../../workspace/sandbox/helpers.ts';

const SOURCE = fileURLToPath(new URL('../../../src/engine/claude/inside/main.ts', import.meta.url));
const FAKE = fileURLToPath(new URL('../../fixtures/fake-claude.mjs', import.meta.url));

/** The client's tools, when nothing is said. */
export const SIX_TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep'] as const;

let bundled: Promise<string> | undefined;

/** The program inside as it is shipped: one file. Built once for a test file. */
function insideProgram(): Promise<string> {
  bundled ??= build({
    entryPoints: [SOURCE],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '');
  return bundled;
}

export interface Scene {
  readonly options: ClaudeOptions;
  /** The worker's. */
  readonly work: string;
  readonly home: string;
  readonly launches: readonly Launch[];
  engine(clock?: Clock): Engine;
}

/** A job's folders and its sandbox, with this client. Nothing of the developer's environment is in it but PATH. */
export async function makeScene(
  client: string,
  given: Partial<ClaudeOptions> & {
    readonly level?: SandboxLevel;
    readonly callerEnv?: Record<string, string>;
  } = {},
): Promise<Scene> {
  const { level = 'none', callerEnv = {}, ...options } = given;
  const folder = makeFolder();
  const own = join(folder, 'claude');
  mkdirSync(own);
  const inside = join(own, 'inside.mjs');
  writeFileSync(inside, await insideProgram());
  const caller = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...callerEnv };
  const pace = { graceMs: 3000, drainMs: 300 };
  const { sandbox, workspace, folder: held } = await makeSandbox(level, { callerEnv: caller, pace });
  const launches: Launch[] = [];
  const launch = async (wanted: Launch): Promise<Launched> => {
    launches.push(wanted);
    const readable = [...new Set([...wanted.readable, process.execPath].map((path) => realpathSync(path)))];
    const service = await sandbox.serve({ argv: wanted.argv, env: wanted.env, cwd: workspace, readable });
    const told = (end: ServiceEnd) => ({ ...end, stderr: textOf(end.stderr) });
    const { stdin, stdout } = service;
    return { stdin, stdout, ended: service.ended.then(told), stop: () => service.stop().then(told) };
  };
  const all: ClaudeOptions = {
    client: realpathSync(client),
    node: process.execPath,
    inside,
    folder: own,
    socketFolder: shortFolder(),
    configFolder: join(held, 'home', '.claude'),
    cwd: workspace,
    launch,
    guard: () => ({ allow: true }),
    clean: (text) => text,
    allowTools: [],
    denyTools: [],
    tools: SIX_TOOLS,
    permissionMode: null,
    addDirs: [],
    request: null,
    maxTurns: 400,
    prompt: 'slim',
    small: null,
    roles: {},
    commandTimeoutMs: 20_000,
    longestCommandMs: 60_000,
    askTimeoutMs: 30_000,
    ...options,
  };
  const engine = (clock?: Clock) => createClaudeEngine(all, createNativeEngine(clock), clock);
  return { options: all, work: workspace, home: join(held, 'home'), launches, engine };
}

function shortFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ccd-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One step of a fake client; see test/fixtures/fake-claude.mjs. */
export type Step = Readonly<Record<string, unknown>>;

/** Makes a program that plays these steps in place of the client, in one file. Returns its path. */
export function fakeClient(steps: readonly Step[]): string {
  const file = join(makeFolder(), 'client.mjs');
  const script = `globalThis.SCRIPT = ${JSON.stringify(steps)};\n`;
  writeFileSync(file, `#!${process.execPath}\n${script}${readFileSync(FAKE, 'utf8')}`);
  chmodSync(file, 0o755);
  return file;
}

/** What the client says at the end of a turn. */
export function result(text: string, more: object = {}): Step {
  const line = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text,
    terminal_reason: 'completed',
  };
  return { say: { ...line, api_error_status: null, ...more } };
}
