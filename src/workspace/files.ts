import { realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { editBytes } from './files-edit.ts';
import { type Place, placeInOneOf, placeInside } from './files-path.ts';
import { takeFile } from './files-read.ts';
import { answer, done, type FileResult, Refusal } from './files-result.ts';
import { findFiles, searchFiles } from './files-search.ts';
import { encodingOf, isBinary, sliceLines } from './files-text.ts';
import { putFile } from './files-write.ts';
import { type NeverSent, neverSent, neverSentBeside, neverSentText } from './never-send.ts';

export type { FileResult } from './files-result.ts';

/**
 * The worker's hands on files, confined to one workspace: paths are relative to it, or absolute inside it;
 * links are followed and must end inside. Every answer is a result for the model; only a bug throws.
 */
export interface WorkspaceFiles {
  /** `offset` is the first line wanted, counted from 1; `limit` the number of lines. */
  read(args: { path: string; offset?: number | undefined; limit?: number | undefined }): Promise<FileResult>;
  write(args: { path: string; content: string }): Promise<FileResult>;
  edit(args: {
    path: string;
    oldText: string;
    newText: string;
    replaceAll?: boolean | undefined;
  }): Promise<FileResult>;
  grep(args: { pattern: string; path?: string | undefined; glob?: string | undefined }): Promise<FileResult>;
  glob(args: { pattern: string }): Promise<FileResult>;
}

const MOST_LINES = 2_000;
const MOST_CHARACTERS = 50_000;

/**
 * `root` is the workspace, absolute, and may be reached through links. If it goes, every answer says so. Files that fit
 * one of the globs `neverSend` are not read to anybody. `beside` are folders that may be read as well, absolute and real.
 */
export function workspaceFiles(
  root: string,
  neverSend: readonly string[] = [],
  beside: readonly string[] = [],
): WorkspaceFiles {
  const opened = identify(root);
  const isNeverSent = neverSent(neverSend);
  const at = async (path: string): Promise<Place> => placeInside(await presentRoot(root, opened), path);
  const withheldIn = ({ root: folder }: Place): NeverSent =>
    beside.includes(folder) ? neverSentBeside(folder, isNeverSent) : isNeverSent;
  /** By the name that was asked for, and by what it leads to. */
  const readable = async (path: string, others: readonly string[] = []): Promise<Place> => {
    const place = await placeInOneOf(await presentRoot(root, opened), others, path);
    const named = relative(root, resolve(root, path));
    if (withheldIn(place)(place.relative) || isNeverSent(named)) {
      throw new Refusal('never_sent', neverSentText(path));
    }
    return place;
  };
  return {
    read: (args) => answer(args.path, async () => readText(await readable(args.path, beside), args)),
    write: (args) => answer(args.path, async () => writeText(await at(args.path), args.content)),
    edit: (args) =>
      answer(args.path, async () => {
        const place = await readable(args.path);
        const file = await takeFile(place);
        const { bytes, count, line } = editBytes(
          file,
          { ...args, replaceAll: args.replaceAll ?? false },
          place.relative,
        );
        await putFile(place, bytes);
        const places = count === 1 ? `at line ${line}` : `${count} times, first at line ${line}`;
        return done(`replaced ${places} in ${place.relative}`, `${place.relative} (line ${line})`);
      }),
    grep: (args) =>
      answer(args.pattern, async () => {
        const place = await readable(args.path ?? '.', beside);
        const { pattern, glob = null } = args;
        return searchFiles(place, { pattern, glob, isNeverSent: withheldIn(place) });
      }),
    glob: (args) =>
      answer(args.pattern, async () => {
        const around = beside.find((folder) => args.pattern.startsWith(`${folder}/`)) ?? '.';
        return findFiles(await placeInOneOf(await presentRoot(root, opened), beside, around), args.pattern);
      }),
  };
}

async function readText(
  place: Place,
  args: { offset?: number | undefined; limit?: number | undefined },
): Promise<FileResult> {
  const bytes = await takeFile(place);
  if (isBinary(bytes))
    throw new Refusal('binary', `${place.shown} is a binary file of ${bytes.length} bytes`);
  const encoding = encodingOf(bytes);
  const first = Math.max(1, args.offset ?? 1);
  const wanted = Math.min(args.limit ?? MOST_LINES, MOST_LINES);
  const slice = sliceLines(bytes.toString(encoding), first, wanted, MOST_CHARACTERS);
  const notes: string[] = [];
  if (encoding === 'latin1') notes.push('[not UTF-8: shown as Latin-1; edit keeps all other bytes]');
  if (first > 1 || slice.last < slice.lines) {
    const more = slice.last < slice.lines ? `; go on with offset ${slice.last + 1}` : '';
    notes.push(`[lines ${slice.first}-${slice.last} of ${slice.lines}${more}]`);
  }
  if (bytes.length === 0) notes.push('[the file is empty]');
  const shown = Math.max(0, slice.last - slice.first + 1);
  return done([slice.text, ...notes].join('\n'), `${place.shown} (${shown} lines)`);
}

async function writeText(place: Place, content: string): Promise<FileResult> {
  const bytes = Buffer.from(content, 'utf8');
  await putFile(place, bytes);
  const lines = content.split('\n').length - (content.endsWith('\n') || content === '' ? 1 : 0);
  const verb = place.exists ? 'wrote' : 'made';
  return done(`${verb} ${place.relative} (${bytes.length} bytes)`, `${place.relative} (${lines} lines)`);
}

interface Identity {
  readonly device: number;
  readonly inode: number;
}

function identify(root: string): Identity | null {
  const found = statSync(root, { throwIfNoEntry: false });
  return found?.isDirectory() ? { device: found.dev, inode: found.ino } : null;
}

/** The real path of the root, if it is still the folder that was opened (STATE-10). */
async function presentRoot(root: string, opened: Identity | null): Promise<string> {
  try {
    const real = realpathSync(root);
    const now = await stat(real);
    if (opened !== null && now.dev === opened.device && now.ino === opened.inode) return real;
  } catch {
    // Falls through: a root that cannot be reached is lost too.
  }
  throw new Refusal('workspace_lost', `the workspace ${root} is gone`);
}
