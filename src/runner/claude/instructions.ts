import { join } from 'node:path';
import { parentOf } from '../../job/relative-path.ts';
import { asText, readBlobs } from '../../workspace/blobs.ts';
import { fields, hostGit } from '../../workspace/git.ts';
import type { NeverSent } from '../../workspace/never-send.ts';
import { makeReader } from '../../workspace/put-back.ts';
import { removeTree } from '../../workspace/remove.ts';
import type { Repository } from '../../workspace/repository.ts';
import { importsOf } from './imports.ts';

export interface InstructionsAt {
  readonly commit: string;
  /** Where the worker starts, relative to the root; '' is the root. */
  readonly subdirectory: string;
  /** One of our own, for a git directory. */
  readonly folder: string;
  readonly isHidden: NeverSent;
}

const NAMES = ['CLAUDE.md', 'AGENTS.md'] as const;
const MOST_BYTES = 32 * 1024;
/** A file that is longer is not read at all. */
const MOST_BLOB_BYTES = 4 * 1024 * 1024;
/** A regular file, executable or not; never a link, which leads where it likes. */
const REGULAR = /^100(?:644|755) blob ([0-9a-f]+)\t/;

/** As deep as Claude Code follows them. */
const DEEPEST_IMPORT = 5;
const MOST_IMPORTS = 50;

/**
 * What the project says to those who work on it, as text: the client is started without any settings of the project,
 * and would not read it. Read as blobs of the commit, from the root and each folder down to where the worker starts, and
 * then what they import. '' where there is nothing. Throws GitError.
 */
export async function projectInstructions(repository: Repository, at: InstructionsAt): Promise<string> {
  const gitDir = join(at.folder, 'instructions.git');
  await removeTree(gitDir);
  await makeReader(repository, gitDir);
  const files: Instruction[] = [];
  let wanted = foldersDownTo(at.subdirectory).flatMap((folder) =>
    NAMES.map((name) => (folder === '' ? name : `${folder}/${name}`)),
  );
  for (let depth = 0; depth <= DEEPEST_IMPORT && wanted.length > 0; depth += 1) {
    const found = await readAll(gitDir, at, wanted);
    files.push(...found);
    const asked = found.flatMap(({ path, text }) => (text === null ? [] : importsOf(path, text)));
    const fresh = asked.filter((path) => !files.some((file) => file.path === path));
    wanted = [...new Set(fresh)].slice(0, MOST_IMPORTS);
  }
  await removeTree(gitDir);
  return instructionsText(files);
}

/** One file of it; null: it is not read, but it is there. */
interface Instruction {
  readonly path: string;
  readonly text: string | null;
}

/** Those of the paths that are regular files of the commit and not hidden, in the order of the paths. */
async function readAll(
  gitDir: string,
  { commit, isHidden }: InstructionsAt,
  paths: readonly string[],
): Promise<Instruction[]> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', ...paths];
  const { stdout } = await hostGit({ gitDir, args });
  const files = fields(stdout).flatMap((field) => {
    const entry = field.toString('utf8');
    const object = REGULAR.exec(entry)?.[1];
    const path = entry.slice(entry.indexOf('\t') + 1);
    // A folder among the paths opens it for the others: what is in it and was not asked for is listed too.
    return object === undefined || !paths.includes(path) || isHidden(path) ? [] : [{ path, object }];
  });
  files.sort((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path));
  const blobs = await readBlobs(
    gitDir,
    files.map(({ object }) => object),
    MOST_BLOB_BYTES,
  );
  return files.map(({ path, object }) => ({ path, text: asText(blobs.get(object)) }));
}

/** All of them within one bound; what is not shown whole is named, so that it can be read. Pure. */
export function instructionsText(files: readonly Instruction[]): string {
  const sections: string[] = [];
  const said = new Set<string>();
  let left = MOST_BYTES;
  for (const { path, text } of files) {
    const whole = text?.trim();
    if (whole === '' || (whole !== undefined && said.has(whole))) continue;
    if (whole === undefined || left === 0) {
      sections.push(`The project's instructions go on in ${path}: read it first and follow it.`);
      continue;
    }
    said.add(whole);
    const bytes = Buffer.from(whole);
    const shown = bytes.length <= left ? whole : wholeCharacters(bytes.subarray(0, left));
    const note = shown === whole ? '' : `\n[cut here; read the rest of it in ${path}]`;
    sections.push(`The project's instructions (${path}):\n\n${shown}${note}`);
    left -= Math.min(left, bytes.length);
  }
  return sections.map((section) => `\n\n${section}`).join('');
}

/** Without the character that the cut has torn. */
function wholeCharacters(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** `a/b` → '', `a`, `a/b`. */
function foldersDownTo(subdirectory: string): string[] {
  return subdirectory === '' ? [''] : [...foldersDownTo(parentOf(subdirectory)), subdirectory];
}
