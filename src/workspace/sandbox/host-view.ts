import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import which from 'which';
import type { Network } from '../../job/record.ts';
import { realPathOrNull } from '../real-path.ts';
import type { Environment } from './environment.ts';
import { isAtOrBelow, type Spot } from './mounts.ts';
import { toolchainParts } from './toolchains.ts';

/** What of this system every command of a job sees, read only. */
export interface HostView {
  /** Links of the system, as it has them: `/bin` → `usr/bin`. */
  readonly links: readonly { readonly at: string; readonly target: string }[];
  readonly spots: readonly Spot[];
  /** Files inside of those that hold credentials: an empty one is seen in their place. */
  readonly masked: readonly string[];
}

/** The system's own programs and libraries, whole. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'] as const;
/** Package managers with a place of their own, whole: everybody may read them. */
const STORES = ['/nix/store', '/home/linuxbrew/.linuxbrew'] as const;
/** Settings of package managers for everybody may name a registry with its password. */
const CREDENTIALS = ['/usr/etc/npmrc', '/usr/local/etc/npmrc', '/usr/local/etc/gitconfig'] as const;

/**
 * What programs need of /etc: users by name, the loader's cache, certificates (never private keys, which root
 * could read), time, names of ports and of types. Everything else there is nobody's business inside; and each
 * mount costs every command a fifth of a millisecond.
 */
const ETC: readonly string[] = [
  ...['passwd', 'group', 'nsswitch.conf', 'services', 'ld.so.cache', 'alternatives', 'os-release'],
  ...['localtime', 'locale.conf', 'mime.types', 'fonts', 'perl', 'maven/m2.conf', 'maven/logging'],
  ...['ssl/certs', 'ssl/openssl.cnf', 'ssl/cert.pem', 'ca-certificates/extracted', 'crypto-policies'],
  ...['pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/ca-trust'],
];
/** Those whose names hold a version. */
const ETC_VERSIONED = /^java(-.*)?$/;
/** How to find other machines; without a network there is a made-up hosts file in their place. */
const ETC_NETWORK = ['hosts', 'resolv.conf'] as const;

/** Reads where things are. `path` is the PATH of the commands to be. */
export function viewHost(environment: Environment, network: Network): HostView {
  const path = environment.PATH ?? '';
  const system = SYSTEM.filter((folder) => existsSync(folder));
  const etc = etcPaths(network);
  const links = [...system, ...etc].filter(isLinkIntoSystem);
  const folders = [
    ...[...system, ...etc].filter((folder) => !links.includes(folder)),
    ...STORES.filter((folder) => existsSync(folder)),
    ...optFolders(path),
    ...toolchainParts(environment),
  ];
  const git = which.sync('git', { path, nothrow: true });
  const programs = [process.execPath, ...(git === null ? [] : [git])];
  return {
    links: links.map((at) => ({ at, target: readlinkSync(at) })),
    spots: [
      // Resolved: /etc/resolv.conf is often a link into /run, which is not there.
      ...folders.map((at) => ({ from: realpathSync(at), at, writable: false })),
      ...programs.flatMap((program) => programSpots(program, homedir())),
    ],
    masked: CREDENTIALS.filter((file) => existsSync(file)),
  };
}

/** A link of the system's to its own files, e.g. `/bin` or `/etc/localtime`: seen as the link that it is. */
function isLinkIntoSystem(path: string): boolean {
  return lstatSync(path).isSymbolicLink() && isAtOrBelow(realpathSync(path), '/usr');
}

/**
 * PATH as it is inside: an entry that is a link to what is there is followed (fnm and Nix have such), and
 * one that is not there is left out.
 */
export function pathInside(path: string, visible: readonly string[]): string {
  const isVisible = (entry: string): boolean => visible.some((folder) => isAtOrBelow(entry, folder));
  const entries = path.split(delimiter).flatMap((entry) => {
    if (isVisible(entry)) return [entry];
    const real = realPathOrNull(entry);
    return real !== null && isVisible(real) ? [real] : [];
  });
  return entries.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : [...new Set(entries)].join(delimiter);
}

function etcPaths(network: Network): string[] {
  const versioned = readdirSync('/etc').filter((name) => ETC_VERSIONED.test(name));
  const names = [...ETC, ...versioned, ...(network === 'full' ? ETC_NETWORK : [])];
  return names.map((name) => join('/etc', name)).filter((path) => existsSync(path));
}

/** Of /opt only the packages that PATH leads into. */
function optFolders(path: string): string[] {
  const entries = path.split(delimiter).flatMap((entry) => [entry, realPathOrNull(entry) ?? entry]);
  const names = entries.flatMap((entry) => /^\/opt\/[^/]+/.exec(entry)?.[0] ?? []);
  return [...new Set(names)].filter((folder) => existsSync(folder));
}

/** A program that we start ourselves, wherever it is, with what is installed around it. */
function programSpots(program: string, home: string): Spot[] {
  const real = realPathOrNull(program);
  if (real === null) return [];
  const self = { from: real, at: program, writable: false };
  const prefix = dirname(dirname(real));
  // A prefix that holds the home holds everything of the user's.
  if (basename(dirname(real)) !== 'bin' || isAtOrBelow(home, prefix)) return [self];
  const parts = ['bin', 'lib', 'libexec', 'share'].map((name) => join(prefix, name));
  const around = parts.filter((path) => existsSync(path));
  return [self, ...around.map((at) => ({ from: realpathSync(at), at, writable: false }))];
}
