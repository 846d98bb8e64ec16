import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './environment.ts';

/** One kind of toolchain: its variable, its places below HOME without it, and what of it is needed to use it. */
interface Kind {
  readonly variable: string;
  /** From the tools' own manuals. Without one, only the variable says where it is. */
  readonly places: readonly string[];
  /** Never the whole folder: credentials and settings stand beside these. */
  readonly parts: readonly string[];
}

const KINDS: readonly Kind[] = [
  kind('PYENV_ROOT', ['.pyenv'], ['bin', 'libexec', 'shims', 'versions', 'plugins', 'pyenv.d', 'version']),
  kind('RUSTUP_HOME', ['.rustup'], ['toolchains', 'settings.toml', 'update-hashes']),
  kind('CARGO_HOME', ['.cargo'], ['bin', 'registry', 'git']),
  kind('NVM_DIR', ['.nvm'], ['versions', 'alias', 'nvm.sh', 'nvm-exec']),
  kind('VOLTA_HOME', ['.volta'], ['bin', 'tools']),
  kind('FNM_DIR', ['.local/share/fnm', '.fnm'], ['node-versions', 'aliases']),
  kind('SDKMAN_DIR', ['.sdkman'], ['bin', 'candidates', 'src']),
  kind(
    'ASDF_DIR',
    ['.asdf'],
    ['bin', 'lib', 'libexec', 'internal', 'shims', 'installs', 'plugins', 'asdf.sh'],
  ),
  kind('MISE_DATA_DIR', ['.local/share/mise'], ['installs', 'shims', 'plugins']),
  kind('GOPATH', ['go'], ['bin', 'pkg']),
  kind('GOROOT', [], ['bin', 'pkg', 'src', 'lib', 'misc', 'VERSION', 'go.env']),
  kind('JAVA_HOME', [], ['bin', 'lib', 'conf', 'include', 'jmods', 'jre', 'legal', 'release']),
];

function kind(variable: string, places: readonly string[], parts: readonly string[]): Kind {
  return { variable, places, parts };
}

/** Where a tool also keeps what it downloads. */
export const DOWNLOAD_VARIABLES: readonly string[] = ['CARGO_HOME', 'GOPATH'];

/**
 * The worker's HOME is private and empty, so a toolchain that is looked for below HOME would be gone:
 * the variables that lead to those that are there. A variable the caller set stays as it is.
 */
export function findToolchains(caller: Readonly<Record<string, string | undefined>>): Environment {
  const found: Record<string, string> = {};
  const home = caller.HOME;
  if (home === undefined || home === '') return found;
  for (const { variable, places } of KINDS) {
    if (caller[variable] !== undefined) continue;
    const place = places.map((folder) => join(home, folder)).find(isFolder);
    if (place !== undefined) found[variable] = place;
  }
  return found;
}

/** The files and folders that make the toolchains of this environment usable; only those that are there. */
export function toolchainParts(environment: Environment): string[] {
  return KINDS.flatMap(({ variable, parts }) => {
    const folder = environment[variable];
    if (folder === undefined || !folder.startsWith('/')) return [];
    return parts.map((part) => join(folder, part)).filter((path) => existsSync(path));
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
