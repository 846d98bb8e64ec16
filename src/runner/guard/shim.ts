import { realpathSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { quote, shimText } from './shim-text.ts';

/**
 * Writes the worker's `git` into `folder`, which must be one the worker cannot write to; it is made afresh.
 * Returns a file for BASH_ENV: a bash that reads it has the folder first on its PATH. (A bash whose stdin is
 * a socket reads none, see bash(1) on rshd; the worker's stdin is /dev/null.)
 */
export async function installShim(
  folder: string,
  git: string,
  place: Pick<Place, 'workspace' | 'checkout' | 'own'>,
): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o755 });
  const { workspace, checkout, own } = place;
  const text = shimText({
    folder,
    git,
    workspace: real(workspace),
    checkout: real(checkout),
    own: own.map(real),
  });
  await writeFile(join(folder, 'git'), text, { mode: 0o755 });
  const bashEnv = join(folder, 'bash-env');
  const path = `${quote(folder)}:*) ;;\n  *) PATH=${quote(folder)}:$PATH ;;`;
  await writeFile(bashEnv, `# Read by bash: see BASH_ENV in bash(1).\ncase $PATH in\n  ${path}\nesac\n`);
  return bashEnv;
}

/** The shell says where it is by the real path. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not made yet: it has no other name either.
    return path;
  }
}
