import { existsSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createClaudeEngine } from '../../engine/claude/engine.ts';
import type { ClaudeOptions } from '../../engine/claude/options.ts';
import type { Engine, ModelRef } from '../../engine/engine.ts';
import { nativeEngine } from '../../engine/native/engine.ts';
import { findClient } from '../../provider/claude-client.ts';
import { readConfig } from '../../provider/config-file.ts';
import type { Sandbox } from '../../workspace/sandbox/sandbox.ts';
import { judge } from '../guard/judge.ts';
import type { Guard } from '../guard/open.ts';
import type { RunningJob } from '../running-job.ts';
import { insideProgram } from '../runtime.ts';
import { requestOf } from '../system-prompt.ts';
import { launchIn } from './launch.ts';
import { programFiles } from './program-files.ts';
import { clientRules, ruledOut } from './rules.ts';
import { openSocketFolder } from './socket-folder.ts';

/** Where the client works, and who watches its shell. */
export interface ClientPlace {
  /** Its program: absolute, no link. */
  readonly client: string;
  readonly sandbox: Sandbox;
  /** Absolute. */
  readonly cwd: string;
  /** null: it has no shell. */
  readonly guard: Guard | null;
  /** Globs of files that are not read to anybody. */
  readonly neverSend: readonly string[];
  /** The client's names of what it has when nothing more is said. */
  readonly tools: readonly string[];
}

/**
 * Where a job's client is, links followed. Writes down which it is. Throws a UserError (exit 6) where
 * there is none, or an old one.
 */
export async function locateClient({ writer, log }: Pick<RunningJob, 'writer' | 'log'>): Promise<string> {
  const configured = readConfig(process.env).claude?.path ?? null;
  const { path, version } = await findClient(process.env, configured, writer.record.checkout);
  log.event('client', { version });
  // Before the work begins: it is known even of a job whose runner dies.
  writer.amend({ client: version });
  return realpathSync(path);
}

/** What the runner and the client have between them: the worker sees it and cannot write it. */
export function clientFolder({ places }: Pick<RunningJob, 'places'>): string {
  return join(places.folder, 'claude');
}

/** Opens the client's engine for one job. Throws what the disk says. */
export async function openClaude(job: RunningJob, place: ClientPlace): Promise<Engine> {
  const { limits, id } = job.writer.record;
  const folder = clientFolder(job);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { permissionMode, addDirs, clientPrompt } = job.task;
  const rules = clientRules(job.task);
  const options: ClaudeOptions = {
    client: place.client,
    node: realpathSync(process.execPath),
    inside: insideProgram(),
    folder,
    socketFolder: openSocketFolder(job.places.folder, id),
    configFolder: join(job.places.home, '.claude'),
    cwd: place.cwd,
    launch: launchIn(place.sandbox, place.cwd, {
      readable: programFiles(place.client, homedir()),
      guard: place.guard,
    }),
    guard: guardOf(job, place.guard),
    clean: (text) => job.ownRedactor.known(text),
    allowTools: rules.allow,
    denyTools: [
      ...rules.deny,
      ...unreadable(place.neverSend, [realpathSync(job.places.work), ...addDirs]),
      ...unwritable(addDirs),
    ],
    tools: place.tools,
    permissionMode,
    addDirs,
    request: requestOf(job.task),
    maxTurns: limits.maxSteps,
    prompt: clientPrompt,
    small: job.small,
    roles: firstOf(job.roleModels),
    commandTimeoutMs: limits.commandTimeout * 1000,
    longestCommandMs: limits.timeout * 1000,
    askTimeoutMs: limits.askTimeout * 1000,
  };
  return createClaudeEngine(options, nativeEngine);
}

/** The text guard of the other engine's shell, with the same words. */
function guardOf(job: RunningJob, guard: Guard | null): ClaudeOptions['guard'] {
  const folders = guard === null ? null : realFolders(guard.folders);
  return (command, cwd) => {
    job.log.output(Buffer.from(`$ ${command}\n`));
    if (guard === null || folders === null) return { allow: false, reason: 'there is no shell here' };
    const why = ruledOut(job.task, command);
    if (why !== null) {
      job.log.output(Buffer.from(`[refused] ${why}\n`));
      return { allow: false, reason: why };
    }
    const verdict = judge(command, { ...folders, cwd });
    if (verdict.kind !== 'refuse') return { allow: true };
    job.log.output(Buffer.from(`[refused] ${verdict.sentence}\n`));
    guard.refused(verdict);
    return { allow: false, reason: verdict.sentence };
  };
}

/** A client's shell says where it really is. */
function realFolders({ own, ...folders }: Guard['folders']): Guard['folders'] {
  const { workspace, checkout, home, temp } = folders;
  return {
    workspace: realOf(workspace),
    checkout: realOf(checkout),
    home: realOf(home),
    temp: realOf(temp),
    own: [...new Set([...own, ...own.map(realOf)])],
  };
}

/** One that is not there yet is no link either. */
function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/**
 * Where nothing can be hidden the client's file tools at least say no; a glob its rules cannot hold is left out. A rule is
 * about the folder the client stands in, so each is given for the whole of every folder it may read too.
 */
function unreadable(globs: readonly string[], roots: readonly string[]): string[] {
  const known = globs.map((glob) => glob.replace(/^\/+|\/+$/g, '')).filter((glob) => !/[(),{}]/.test(glob));
  const inside = roots.filter(isPlainPath).flatMap((root) => known.map((glob) => `/${root}/**/${glob}`));
  return [...known, ...inside].flatMap((glob) => [`Read(${glob})`, `Read(${glob}/**)`]);
}

function isPlainPath(path: string): boolean {
  return !/[(),*?{}[\]\\]/.test(path);
}

/** The same for folders that are only read; `//` stands in front of an absolute path there. */
function unwritable(folders: readonly string[]): string[] {
  return folders.filter(isPlainPath).map((folder) => `Edit(/${folder}/**)`);
}

/** The gateway speaks one protocol; who has no model of it works with the worker's. */
function firstOf(roles: Readonly<Record<string, readonly ModelRef[]>>): Record<string, ModelRef> {
  const found = Object.entries(roles).flatMap(([role, models]) => {
    const model = models.find(({ api }) => api === 'anthropic');
    return model === undefined ? [] : [[role, model] as const];
  });
  return Object.fromEntries(found);
}
