import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { changesWhatRuns } from './config-danger.ts';
import { fields, line, refsGit, userGit } from './git.ts';
import type { Repository } from './repository.ts';

export type IntegrityKind = 'head' | 'refs' | 'index' | 'config' | 'hooks' | 'info' | 'alternates';

/** What of a repository a job may not change, as a value for each name; names are `<kind> <name>`. */
export interface Fingerprint {
  readonly values: Readonly<Record<string, string>>;
}

export interface Difference {
  readonly kind: IntegrityKind;
  /** A ref, a configuration key or a file below the git directory. */
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Ours, which change as jobs come and go. */
const OUR_REFS = ['refs/delegate/', 'refs/heads/delegate/', 'refs/heads/cc-delegate/'];

/**
 * What stands in the user's repository now, apart from file contents: HEAD, refs, the index entries (not
 * its bytes: a status rewrites those), configuration, hooks, info and alternates. Plain data, so that it can
 * be kept in a file.
 */
export async function fingerprint(repository: Repository): Promise<Fingerprint> {
  const { gitDir, commonDir } = repository;
  const parts = await Promise.all([
    readHead(gitDir),
    readRefs(repository),
    readIndex(repository),
    readSettings(repository),
    readInfo(commonDir),
    ...(gitDir === commonDir ? [] : [readInfo(gitDir)]),
    readFiles('alternates', join(commonDir, 'objects', 'info'), ['alternates']),
    readFiles('info', gitDir, ['commondir', 'gitdir']),
    readFiles('refs', join(commonDir, 'logs', 'refs'), ['stash']),
  ]);
  return { values: Object.fromEntries(parts.flat()) };
}

type Values = [string, string][];

async function readHead(gitDir: string): Promise<Values> {
  return [['head HEAD', (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim()]];
}

async function readRefs(repository: Repository): Promise<Values> {
  const answer = await refsGit(repository, ['for-each-ref', '--format=%(refname) %(objectname)']);
  return line(answer)
    .split('\n')
    .map((text): [string, string] => {
      const [name = '', object = ''] = text.split(' ', 2);
      return [`refs ${name}`, object];
    })
    .filter(([name]) => !OUR_REFS.some((ours) => name.startsWith(`refs ${ours}`)));
}

async function readIndex(repository: Repository): Promise<Values> {
  const { stdout } = await userGit(repository, ['ls-files', '-s', '-z']);
  return [['index entries', digest(stdout)]];
}

async function readSettings(repository: Repository): Promise<Values> {
  const names = ['config', 'config.worktree'];
  const values = (await Promise.all(names.map((name) => readConfig(repository, name)))).flat();
  // What the repository's own files do not set git need not be asked for.
  const set = values.some(([name]) => name === 'config core.hookspath');
  return [...values, ...(await readHooks(repository, set))];
}

async function readConfig(repository: Repository, name: string): Promise<Values> {
  const file = join(repository.commonDir, name);
  if (!(await isFile(file))) return [];
  const { stdout } = await userGit(repository, ['config', '-z', '--list', '-f', file]);
  const values = new Map<string, string>();
  for (const field of fields(stdout)) {
    const [key = '', ...rest] = field.toString('utf8').split('\n');
    const known = values.get(`config ${key}`);
    values.set(`config ${key}`, known === undefined ? rest.join('\n') : `${known}\n${rest.join('\n')}`);
  }
  return [...values];
}

/** Both where git looks by default and where core.hooksPath points. */
async function readHooks(repository: Repository, isMoved: boolean): Promise<Values> {
  const own = await readFolder('hooks', join(repository.commonDir, 'hooks'));
  if (!isMoved) return own;
  const args = ['config', '--local', '--type=path', '--get', 'core.hooksPath'];
  const answer = await userGit(repository, args, { accept: [0, 1] });
  if (answer.exitCode !== 0) return own;
  return [...own, ...(await readFolder('hooks', resolve(repository.checkout, line(answer))))];
}

/** `refs` is a list for dumb servers that a gc of the user's rewrites; it decides nothing here. */
async function readInfo(gitDir: string): Promise<Values> {
  const folder = join(gitDir, 'info');
  return (await readFolder('info', folder)).filter(([name]) => name !== `info ${join(folder, 'refs')}`);
}

async function readFolder(kind: IntegrityKind, folder: string): Promise<Values> {
  // A folder that is not there holds nothing.
  const names = await readdir(folder).catch(() => []);
  return readFiles(kind, folder, names.filter((name) => !name.endsWith('.sample')).sort());
}

async function readFiles(kind: IntegrityKind, folder: string, names: readonly string[]): Promise<Values> {
  const values: Values = [];
  for (const name of names) {
    const path = join(folder, name);
    const stat = await lstat(path).catch(() => null);
    if (stat === null) continue;
    const mode = (stat.mode & 0o170111).toString(8);
    if (stat.isSymbolicLink()) values.push([`${kind} ${path}`, `${mode} ${await readlink(path)}`]);
    else if (stat.isFile()) values.push([`${kind} ${path}`, `${mode} ${digest(await readFile(path))}`]);
  }
  return values;
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (stat) => stat.isFile(),
    // Not there: nothing to be read.
    () => false,
  );
}

/** What differs, by kind and name; `except` names branches or full refs that are expected to move. */
export function compareFingerprints(
  before: Fingerprint,
  after: Fingerprint,
  except: readonly string[] = [],
): Difference[] {
  const expected = new Set(except.flatMap((ref) => [`refs ${ref}`, `refs refs/heads/${ref}`]));
  const names = [...new Set([...Object.keys(before.values), ...Object.keys(after.values)])].sort();
  return names
    .filter((name) => before.values[name] !== after.values[name] && !expected.has(name))
    .map((name) => ({
      kind: kindOf(name),
      name: name.slice(name.indexOf(' ') + 1),
      before: before.values[name] ?? null,
      after: after.values[name] ?? null,
    }));
}

const KINDS: readonly IntegrityKind[] = ['head', 'refs', 'index', 'config', 'hooks', 'info', 'alternates'];

function kindOf(name: string): IntegrityKind {
  const kind = KINDS.find((known) => name.startsWith(`${known} `));
  if (kind === undefined) throw new Error(`no such kind of fingerprint value: ${name}`);
  return kind;
}

/**
 * Those that could make git run something of the worker's or read other objects: where nothing but the
 * worker's good will kept it out of the repository (levels `process` and `none`) they fail the job. Moved
 * refs, HEAD and index are a note: the user commits, too.
 */
export function dangerousDifferences(differences: readonly Difference[]): Difference[] {
  return differences.filter(({ kind, name }) => {
    if (kind === 'hooks' || kind === 'info' || kind === 'alternates') return true;
    return kind === 'config' && changesWhatRuns(name);
  });
}
