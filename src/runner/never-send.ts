import { join } from 'node:path';
import { count } from '../job/format.ts';
import type { SandboxLevel } from '../job/record.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { readConfig } from '../provider/config-file.ts';
import { neverSent, neverSentBeside } from '../workspace/never-send.ts';
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
  const own = await neverSentLines([...new Set([job.places.work, checkout])], isNeverSent);
  const others = await Promise.all(
    addDirs.map((folder) => neverSentLines([folder], neverSentBeside(folder, isNeverSent))),
  );
  const found = [own, ...others];
  const secrets = found.flatMap((each) => each.secrets);
  const left = [...new Set(found.flatMap((each) => each.left))];
  job.ownRedactor.learn(secrets);
  const files = found.reduce((sum, each) => sum + each.files, 0);
  if (!again) job.log.event('never_send', { globs, files, lines: secrets.length, left: left.slice(0, 20) });
  const seen = await Promise.all([
    neverSentFiles(job.places.work, isNeverSent),
    ...addDirs.map((folder) => neverSentFiles(folder, neverSentBeside(folder, isNeverSent))),
  ]);
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
 * with too many files in the workspace, that is as it is. Its commands throw a UserError where a folder beside the
 * workspace has too many.
 */
export async function hideNeverSent(
  sandbox: Sandbox,
  globs: readonly string[],
  { work, beside, others = [] }: LookedAt,
): Promise<HidingSandbox> {
  if (globs.length === 0 || sandbox.level !== 'full') return { sandbox, files: null, others: [] };
  const isNeverSent = neverSent(globs);
  const { paths } = await neverSentFiles(work, isNeverSent);
  const cover = join(beside, 'never-sent');
  const isHidden = paths.length > 0 && paths.length <= MOST_HIDDEN;
  const files = isHidden ? await HiddenFiles.open(work, paths, cover) : null;
  const hidden = await Promise.all(
    others.map((folder) => {
      const isWithheld = neverSentBeside(folder, isNeverSent);
      // Looked for before each command: the user goes on working there.
      return hiddenBeside(
        folder,
        async () => fewEnough(folder, await neverSentFiles(folder, isWithheld)),
        cover,
      );
    }),
  );
  const all = [...(files === null ? [] : [files]), ...hidden];
  return { sandbox: all.length === 0 ? sandbox : hiding(sandbox, all), files, others: hidden };
}

/** A folder in which not all of it can be hidden is not shown at all: then nothing runs. */
function fewEnough(folder: string, { paths }: { readonly paths: readonly string[] }): readonly string[] {
  if (paths.length <= MOST_HIDDEN) return paths;
  throw new UserError({
    code: 'never_sent',
    what: `this folder has more files that are never sent (neverSend) than can be hidden: ${paths.length}`,
    value: folder,
    remedy: 'give --add-dir a folder with fewer of them',
    exit: EXIT.refused,
  });
}
