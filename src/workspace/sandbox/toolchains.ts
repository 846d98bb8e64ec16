import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './environment.ts';

/** Where each toolchain lives below HOME when its variable is not set; from the tools' own manuals. */
const PLACES: readonly (readonly [variable: string, ...folders: string[]])[] = [
  ['PYENV_ROOT', '.pyenv'],
  ['RUSTUP_HOME', '.rustup'],
  ['CARGO_HOME', '.cargo'],
  ['NVM_DIR', '.nvm'],
  ['VOLTA_HOME', '.volta'],
  ['FNM_DIR', '.local/share/fnm', '.fnm'],
  ['SDKMAN_DIR', '.sdkman'],
  ['ASDF_DIR', '.asdf'],
  ['MISE_DATA_DIR', '.local/share/mise'],
  ['GOPATH', 'go'],
];

/**
 * The worker's HOME is private and empty, so a toolchain that is looked for below HOME would be gone:
 * the variables that lead to those that are there. A variable the caller set stays as it is.
 */
export function findToolchains(caller: Readonly<Record<string, string | undefined>>): Environment {
  const found: Record<string, string> = {};
  const home = caller.HOME;
  if (home === undefined || home === '') return found;
  for (const [variable, ...folders] of PLACES) {
    if (caller[variable] !== undefined) continue;
    const place = folders.map((folder) => join(home, folder)).find(isFolder);
    if (place !== undefined) found[variable] = place;
  }
  return found;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
