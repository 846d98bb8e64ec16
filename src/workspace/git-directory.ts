import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { hostGit, line, userGit } from './git.ts';
import type { Repository } from './repository.ts';

/** Who the worker's commits, and ours on its behalf, are by. */
export const WORKER_IDENTITY = { name: 'cc-delegate worker', email: 'worker@cc-delegate.invalid' } as const;

/**
 * Left behind by tools, never by intent: neither in a patch nor worth a word. Without a trailing slash,
 * so that a link of that name is meant too.
 */
export const JUNK: readonly string[] = [
  '__pycache__',
  '*.pyc',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.DS_Store',
  'node_modules',
];

/**
 * Makes a git directory that borrows the user's objects and knows nothing else of them: no template, no
 * hooks, no remote, a neutral configuration, their ignore rules as `info/exclude`. `borrowed` are object
 * directories to read beside theirs.
 */
export async function makeGitDirectory(
  gitDir: string,
  repository: Repository,
  borrowed: readonly string[] = [],
): Promise<void> {
  const { objectFormat, shallowFile } = repository;
  const lenders = [...repository.objectDirectories, ...borrowed];
  const unusable = lenders.find((folder) => folder.includes('\n'));
  if (unusable !== undefined) throw lineBreak(unusable);
  await mkdir(gitDir, { recursive: true });
  await hostGit({ gitDir, args: ['init', '-q', '--template=', `--object-format=${objectFormat}`] });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await Promise.all([
    writeFile(join(gitDir, 'config'), configuration(objectFormat)),
    writeFile(join(gitDir, 'objects', 'info', 'alternates'), lenders.map((folder) => `${folder}\n`).join('')),
    writeFile(join(gitDir, 'info', 'exclude'), await ignoreRules(repository)),
    shallowFile === null ? undefined : copyFile(shallowFile, join(gitDir, 'shallow')),
  ]);
}

function configuration(objectFormat: Repository['objectFormat']): string {
  const sha256 = objectFormat === 'sha256';
  return `[core]
\trepositoryFormatVersion = ${sha256 ? 1 : 0}
\tbare = false
\tfileMode = true
\tsymlinks = true
\tignoreCase = false
\tprecomposeUnicode = false
\tautocrlf = false
\tsafecrlf = false
\teol = lf
\tprotectHFS = true
\tprotectNTFS = true
\tlogAllRefUpdates = true
[user]
\tname = ${WORKER_IDENTITY.name}
\temail = ${WORKER_IDENTITY.email}
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[advice]
\tdetachedHead = false
${sha256 ? '[extensions]\n\tobjectFormat = sha256\n' : ''}`;
}

/** Ours first, so that a rule of the user's can take one of ours back; later lines win in git. */
async function ignoreRules(repository: Repository): Promise<Buffer> {
  const files = [await globalIgnoreFile(repository), join(repository.commonDir, 'info', 'exclude')];
  const rules = await Promise.all(files.map((file) => (file === null ? null : readIfThere(file))));
  const parts = [Buffer.from(JUNK.join('\n')), ...rules.filter((part) => part !== null)];
  return Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
}

/** core.excludesFile, or git's default for it (gitignore(5)). */
async function globalIgnoreFile(repository: Repository): Promise<string | null> {
  const args = ['config', '--type=path', '--get', 'core.excludesFile'];
  const answer = await userGit(repository, args, { accept: [0, 1] });
  if (answer.exitCode === 0) return line(answer);
  const { XDG_CONFIG_HOME, HOME } = process.env;
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'git', 'ignore');
  return HOME ? join(HOME, '.config', 'git', 'ignore') : null;
}

async function readIfThere(file: string): Promise<Buffer | null> {
  // git itself reads a missing or unreadable ignore file as an empty one.
  return readFile(file).catch(() => null);
}

function lineBreak(folder: string): UserError {
  return new UserError({
    code: 'unsupported_path',
    what: 'an object directory with a line break in its path cannot be borrowed from',
    value: JSON.stringify(folder),
    remedy: 'rename that folder',
    exit: EXIT.environment,
  });
}
