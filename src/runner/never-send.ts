import { join } from 'node:path';
import { count } from '../job/format.ts';
import type { SandboxLevel } from '../job/record.ts';
import { readConfig } from '../provider/config-file.ts';
import { neverSent } from '../workspace/never-send.ts';
import { neverSentFiles, neverSentLines } from '../workspace/never-sent-lines.ts';
import {
  HiddenFiles,
  type Hiding,
  hiddenBeside,
  hiding,
  MOST_HIDDEN,
} from '../workspace/sandbox/hidden-files.ts';
import type { Sandbox } from '../workspace/sandbox/sandbox.ts';
import type { RunningJob } from './running-job.ts';

/** What the user never lets a model see, as it was set when the job was prepared. */
export interface Withheld {
  readonly globs: readonly string[];
  /** What can be neither hidden nor recognised, in words for the user. */
  readonly notices: readonly string[];
}

/**
 * The globs for the file tools; and the lines of such files, in the workspace and in the checkout, are from here on
 * taken out of what any tool says. Called before the worker's first step, and `again` when commands of the user may
 * have made such files. Throws UserError where the settings cannot be read: then nothing may be sent at all.
 */
export async function withholdNeverSent(job: RunningJob, again = false): Promise<Withheld> {
  const globs = readConfig(process.env).neverSend ?? [];
  if (globs.length === 0) return { globs, notices: [] };
  const { checkout, sandbox } = job.writer.record;
  const isNeverSent = neverSent(globs);
  const { addDirs } = job.task;
  const roots = [...new Set([job.places.work, checkout, ...addDirs])];
  const { secrets, files, left } = await neverSentLines(roots, isNeverSent);
  job.ownRedactor.learn(secrets);
  if (!again) job.log.event('never_send', { globs, files, lines: secrets.length, left: left.slice(0, 20) });
  const seen = await Promise.all(
    [job.places.work, ...addDirs].map((root) => neverSentFiles(root, isNeverSent)),
  );
  const paths = seen.flatMap((each) => each.paths);
  const unseen = seen.flatMap((each) => each.unseen);
  return { globs, notices: neverSendNotices({ level: sandbox, paths, left, unseen }) };
}

/** What the user should know, a line each. `left`: whose lines are not known; only those in the workspace matter. Pure. */
export function neverSendNotices(seen: {
  readonly level: SandboxLevel;
  readonly paths: readonly string[];
  readonly left: readonly string[];
  readonly unseen: readonly string[];
}): string[] {
  const { level, paths, unseen } = seen;
  const left = seen.left.filter((path) => paths.includes(path));
  const isHidden = level === 'full' && paths.length <= MOST_HIDDEN;
  const why = level === 'full' ? 'are too many to hide' : `are not hidden at sandbox level ${level}`;
  return [
    ...(isHidden || paths.length === 0
      ? []
      : [`neverSend: ${count(paths.length, 'file')} ${why}: only lines that are recognised are taken out`]),
    ...(left.length === 0
      ? []
      : [
          `neverSend: not recognised ${isHidden ? 'where git shows it' : 'in what commands print'}: ${some(left)}`,
        ]),
    ...(unseen.length === 0 ? [] : [`neverSend: not looked for in: ${some(unseen)}`]),
  ];
}

const MOST_NAMED = 3;

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}

/** What is opened for a model to look at. */
export interface LookedAt {
  /** As it is now. */
  readonly work: string;
  /** Where no command can write. */
  readonly beside: string;
  /** Folders that may be read as well: real. */
  readonly others?: readonly string[];
}

/** A sandbox, and what it hides: of the workspace, and of the folders beside it. */
export interface HidingSandbox {
  readonly sandbox: Sandbox;
  readonly files: HiddenFiles | null;
  readonly others: readonly Hiding[];
}

/**
 * The sandbox in which what is never sent is seen empty: for everything a model has a hand in. Below level `full`, and
 * with too many files, the sandbox as it is.
 */
export async function hideNeverSent(
  sandbox: Sandbox,
  globs: readonly string[],
  { work, beside, others = [] }: LookedAt,
): Promise<HidingSandbox> {
  const nothing = { sandbox, files: null, others: [] };
  if (globs.length === 0 || sandbox.level !== 'full') return nothing;
  const isNeverSent = neverSent(globs);
  const { paths } = await neverSentFiles(work, isNeverSent);
  const elsewhere = await Promise.all(
    others.map(async (root) => ({ root, paths: (await neverSentFiles(root, isNeverSent)).paths })),
  );
  const all = [...paths, ...elsewhere.flatMap((each) => each.paths)];
  if (all.length === 0 || all.length > MOST_HIDDEN) return nothing;
  const cover = join(beside, 'never-sent');
  const files = paths.length === 0 ? null : await HiddenFiles.open(work, paths, cover);
  const hidden = await Promise.all(
    elsewhere
      .filter((each) => each.paths.length > 0)
      .map((each) => hiddenBeside(each.root, each.paths, cover)),
  );
  return { sandbox: hiding(sandbox, [...(files === null ? [] : [files]), ...hidden]), files, others: hidden };
}
