import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolDefinition } from '../../engine/engine.ts';
import { runtimeOf } from '../../provider/sandbox-runtime.ts';
import { copyFolder } from '../../workspace/ready/copy-folder.ts';
import { removeTree } from '../../workspace/remove.ts';
import { HiddenFiles, hiding } from '../../workspace/sandbox/hidden-files.ts';
import { openSandbox } from '../../workspace/sandbox/open.ts';
import type { Sandbox } from '../../workspace/sandbox/sandbox.ts';
import type { Guard } from '../guard/open.ts';
import type { HidingSandbox } from '../never-send.ts';
import { type Prepared, startFolder } from '../prepare.ts';
import type { RunningJob } from '../running-job.ts';
import { type BashOptions, bashTool } from '../tools/bash.ts';
import { withoutSecrets } from '../tools/without-secrets.ts';
import type { TesterShell } from './tester-tools.ts';

/** A shell in a private copy of the workspace. `close` throws the copy away. */
export interface CopyShell extends TesterShell {
  close(): Promise<void>;
}

export interface CopyPlace {
  readonly job: RunningJob;
  readonly prepared: Pick<Prepared, 'repository' | 'ready'>;
  readonly guard: Guard;
  /** What the workspace hides from its worker: as well hidden in a copy. */
  readonly hidden?: Pick<HidingSandbox, 'files' | 'others'>;
  /** For the copy alone; made when it is needed. */
  readonly folder: string;
}

const COPY_LIMIT_MS = 30_000;

/**
 * A shell whose workspace is a copy, made at its first command, in a sandbox that does not reach the original.
 * Only for level `full`: below it nothing would hold the shell, and a command in it could not be proven to end.
 */
export function copyShell(place: CopyPlace): CopyShell {
  const { job, guard, folder } = place;
  const { commandTimeout, timeout } = job.writer.record.limits;
  const work = join(folder, 'work');
  let opened: Promise<Sandbox> | null = null;
  const options = (sandbox: Sandbox): BashOptions => ({
    sandbox,
    cwd: startFolder(job, work),
    timeoutSeconds: commandTimeout,
    longestSeconds: timeout,
    log: job.log.output,
    guard: { ...guard, folders: { ...guard.folders, workspace: work } },
    rules: job.task,
  });
  const lazy: Sandbox = {
    level: 'full',
    backend: 'copy',
    async run(command) {
      opened ??= openCopy(place, work);
      return (await opened).run(command);
    },
    serve: () => Promise.reject(new Error('nothing is served from a copy')),
    dispose: () => Promise.resolve([]),
  };
  const bash: ToolDefinition = bashTool(options(lazy));
  return {
    bash: withoutSecrets(bash, job.ownRedactor),
    async mirror(path, signal) {
      if (opened === null) return;
      await (await opened).run({
        argv: ['/bin/sh', '-c', PUT, 'sh', join(job.places.work, path), join(work, path)],
        cwd: work,
        readable: [job.places.work],
        timeoutMs: COPY_LIMIT_MS,
        signal,
      });
    },
    close: () => removeTree(folder),
  };
}

const PUT = 'mkdir -p -- "$(dirname -- "$2")" && cp -f -- "$1" "$2"';

async function openCopy({ job, prepared, folder, hidden }: CopyPlace, work: string): Promise<Sandbox> {
  const { record } = job.writer;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const from = { root: job.places.folder, path: 'work' };
  await copyFolder({ ...from, target: work, leaveOut: [], signal: job.stop.signal });
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: work,
    home: join(folder, 'home'),
    temp: join(folder, 'tmp'),
    passEnv: job.passEnv,
    levelWanted: 'full',
    runtime: runtimeOf(record, process.env),
    network: record.network,
    readable: [
      ...prepared.repository.objectDirectories,
      ...prepared.ready.objectDirectories,
      ...job.task.addDirs,
    ],
  });
  if (hidden === undefined) return sandbox;
  const { files, others } = hidden;
  if (files === null) return others.length === 0 ? sandbox : hiding(sandbox, others);
  const copied = await HiddenFiles.open(work, await files.paths(), join(folder, 'never-sent'));
  return hiding(sandbox, [copied, files, ...others]);
}
