import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is removed when the test ends. */
export function makeFolder(prefix = 'cc-delegate-test-'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A process that a test killed may have made one more file after the folder was read: it is read again. */
function removeFolder(folder: string): void {
  for (let tries = 1; existsSync(folder); tries += 1) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 1 });
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

/** git with an environment made from nothing, so that the developer's own settings have no part in a test. */
export const GIT_ENVIRONMENT: Record<string, string> = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'User',
  GIT_AUTHOR_EMAIL: 'user@example.invalid',
  GIT_COMMITTER_NAME: 'User',
  GIT_COMMITTER_EMAIL: 'user@example.invalid',
};

/** Runs git in `cwd` and returns its stdout without the last line break. Throws with stderr. */
export function git(cwd: string, ...args: string[]): string {
  return gitBytes(cwd, ...args)
    .toString('utf8')
    .replace(/\n$/, '');
}

export function gitBytes(cwd: string, ...args: string[]): Buffer {
  return execFileSync('git', args, {
    cwd,
    env: GIT_ENVIRONMENT,
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export type Files = Record<string, string | Uint8Array>;

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

/** A real repository on branch `main` with one commit that holds `files`. */
export function makeRepository(files: Files = { 'README.md': 'hello\n' }, folder = makeFolder()): string {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'gc.auto', '0');
  git(folder, 'config', 'maintenance.auto', 'false');
  writeFiles(folder, files);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
  return folder;
}
