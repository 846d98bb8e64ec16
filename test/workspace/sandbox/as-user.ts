import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** Who runs a program of ours: whoever runs the tests, or, only if that is root, a plain user. */
export type User = 'ourselves' | 'a plain user';

export const USERS: readonly User[] =
  process.getuid?.() === 0 ? ['ourselves', 'a plain user'] : ['ourselves'];

const PLAIN_UID = 65534;

/** A folder that belongs to this user and is removed when the test ends; below `base`, else the system's. */
export function folderOf(user: User, base = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(base, 'cc-delegate-user-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  chmodSync(folder, 0o755);
  if (user === 'a plain user') chownSync(folder, PLAIN_UID, PLAIN_UID);
  return folder;
}

/** Runs a TypeScript program of the tests with an environment made from nothing; gives the JSON it prints. */
export async function runAs<T>(
  user: User,
  program: string,
  args: readonly string[],
  home: string,
): Promise<T> {
  const temp = join(home, 'user-temp');
  mkdirSync(temp);
  if (user === 'a plain user') chownSync(temp, PLAIN_UID, PLAIN_UID);
  const id = String(PLAIN_UID);
  const as =
    user === 'a plain user'
      ? ['/usr/bin/setpriv', '--reuid', id, '--regid', id, '--clear-groups', '--']
      : ['/usr/bin/env'];
  const [first = '', ...rest] = [...as, process.execPath, '--import', 'tsx', program, ...args];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: temp };
  const { stdout } = await promisify(execFile)(first, rest, { env, maxBuffer: 1 << 26 });
  return JSON.parse(stdout) as T;
}
