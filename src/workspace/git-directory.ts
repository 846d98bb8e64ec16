import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import type { Repository } from './repository.ts';

/** Who the worker's commits, and ours on its behalf, are by. */
export const WORKER_IDENTITY = { name: 'cc-delegate worker', email: 'worker@cc-delegate.invalid' } as const;

/** Whose commit it is, whatever is configured: as author and as committer. */
export function identityIn({ name, email }: { readonly name: string; readonly email: string }) {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

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

export interface GitDirectoryOptions {
  /** Object directories to read beside the user's. */
  readonly borrowed?: readonly string[];
  /** The branch that HEAD names, and the commit it is at; without it HEAD names a branch not born yet. */
  readonly head?: { readonly branch: string; readonly commit: string };
}

/**
 * Makes a git directory that borrows the user's objects and knows nothing else of them: no template, no
 * hooks, no remote, a neutral configuration, their ignore rules as `info/exclude`. By hand, as
 * gitrepository-layout(5) lays it out: `git init` reads templates, and each process of git costs more than
 * all of these files.
 */
export async function makeGitDirectory(
  gitDir: string,
  repository: Repository,
  { borrowed = [], head }: GitDirectoryOptions = {},
): Promise<void> {
  const { objectFormat, shallowFile } = repository;
  const lenders = [...repository.objectDirectories, ...borrowed];
  const unusable = lenders.find((folder) => folder.includes('\n'));
  if (unusable !== undefined) throw lineBreak(unusable);
  const ref = `refs/heads/${head?.branch ?? 'main'}`;
  const folders = ['info', 'objects/info', 'objects/pack', 'refs/tags', dirname(ref)];
  await Promise.all(folders.map((folder) => mkdir(join(gitDir, folder), { recursive: true })));
  await Promise.all([
    writeFile(join(gitDir, 'HEAD'), `ref: ${ref}\n`),
    head === undefined ? undefined : writeFile(join(gitDir, ref), `${head.commit}\n`),
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
  const files = [repository.globalIgnoreFile, join(repository.commonDir, 'info', 'exclude')];
  const rules = await Promise.all(files.map((file) => (file === null ? null : readIfThere(file))));
  const parts = [Buffer.from(JUNK.join('\n')), ...rules.filter((part) => part !== null)];
  return Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
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
