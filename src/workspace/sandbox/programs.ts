import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, UserError } from '../../job/user-error.ts';

/** Where the system's own programs are. PATH, the current folder and the repository have no say in it. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin'] as const;

/** The absolute path of a program of the system, or null where it has none. */
export function findSystemProgram(name: string): string | null {
  return SYSTEM_FOLDERS.map((folder) => join(folder, name)).find(isExecutableFile) ?? null;
}

/** The absolute path of bash. Throws a UserError (exit 6) where the system has none. */
export function systemBash(): string {
  const bash = findSystemProgram('bash');
  if (bash !== null) return bash;
  throw new UserError({
    code: 'no_bash',
    what: 'bash was not found',
    value: SYSTEM_FOLDERS.join(', '),
    remedy: 'install bash',
    exit: EXIT.environment,
  });
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing and not executable come to the same: it is not the program we look for.
    return false;
  }
}
