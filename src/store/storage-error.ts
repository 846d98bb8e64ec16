import { EXIT, UserError } from '../job/user-error.ts';

/** The system's own word for an error, e.g. `ENOSPC`; null when the system did not raise it. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/**
 * Turns an error of the file system into a UserError `storage` (exit 6) that names path, errno and remedy.
 * Anything else comes back as it is: it is a bug and stays one.
 */
export function storageError(action: 'read' | 'write', path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === null || error instanceof UserError) return error;
  return new UserError(
    {
      code: 'storage',
      what: `could not ${action} this file or folder`,
      value: `${path} (${code})`,
      remedy: REMEDIES[code] ?? 'look at this path, then run the command again',
      exit: EXIT.environment,
    },
    { cause: error },
  );
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free some disk space, then run the command again',
  EDQUOT: 'free some of your disk quota, then run the command again',
  EFBIG: 'raise the file size limit (ulimit -f), then run the command again',
  EROFS: 'the file system is read-only: mount it writable, or work in a writable copy',
  EACCES: 'give yourself access to this path (chmod, chown), then run the command again',
  EPERM: 'give yourself access to this path (chmod, chown), then run the command again',
  EMFILE: 'raise the limit of open files (ulimit -n), then run the command again',
  ENFILE: 'the system has too many open files: close some programs, then run the command again',
  EIO: 'the disk reports an error: check it before you go on',
  ENOTDIR: 'a file stands where a folder should be: move it away, then run the command again',
  ENOTSUP: 'this file system has no hard links: keep the repository on one that has',
};
