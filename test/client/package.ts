import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { VERSION } from '../../src/job/version.ts';
import { GIT_ENVIRONMENT, git, makeFolder } from '../helpers/repository.ts';

/** Every file of ours that says which version this is, beside the lock file. */
export const VERSIONED = ['package.json', '.claude-plugin/plugin.json', '.claude-plugin/marketplace.json'];

/** Makes a copy of the checkout as a clone would have it: what git knows or would add, and no more. */
export function copyCheckout(copy = makeFolder('cc-delegate-checkout-')): string {
  // The checkout may be another user's, as in a container.
  const files = git(
    process.cwd(),
    '-c',
    'safe.directory=*',
    'ls-files',
    '-co',
    '--exclude-standard',
    '-z',
  ).split('\0');
  for (const file of new Set(files)) {
    if (file !== '' && existsSync(file)) cpSync(file, join(copy, file));
  }
  return copy;
}

/** Says another version in a folder's files. */
export function setVersion(folder: string, version: string): void {
  for (const file of [...VERSIONED, 'package-lock.json']) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll(`"version": "${VERSION}"`, `"version": "${version}"`));
  }
}

/**
 * Packs what npm would publish, with the program of this test run in place of another build, in a folder. Returns
 * the tarball's path. No script of the package runs.
 */
export function packTarball(folder: string, version = VERSION): string {
  const source = copyCheckout(join(folder, `source-${version}`));
  cpSync(process.env.CC_DELEGATE_TEST_DIST ?? 'dist', join(source, 'dist'), { recursive: true });
  setVersion(source, version);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: source,
    env: { ...GIT_ENVIRONMENT, HOME: folder },
  });
  return join(folder, `cc-delegate-${version}.tgz`);
}

/** Unpacks a tarball in a folder and returns the package's own. */
export function unpack(tarball: string, folder: string): string {
  execFileSync('tar', ['-xzf', tarball, '-C', folder]);
  renameSync(join(folder, 'package'), join(folder, 'cc-delegate'));
  return join(folder, 'cc-delegate');
}

/** A registry on loopback that has one package in these versions, and nothing else. Gone when the test ends. */
export async function serveRegistry(tarballs: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer((request, response) => {
    const tarball = /\/([^/]+)\.tgz$/.exec(request.url ?? '')?.[1];
    if (tarball !== undefined) return void response.end(readFileSync(tarballs[tarball] ?? ''));
    if (!/^\/cc-delegate(\/|$)/.test(request.url ?? '')) return void response.writeHead(404).end('{}');
    const base = `http://${request.headers.host}`;
    const versions = Object.fromEntries(
      Object.keys(tarballs).map((version) => [
        version,
        { name: 'cc-delegate', version, dist: { tarball: `${base}/cc-delegate/-/${version}.tgz` } },
      ]),
    );
    const latest = Object.keys(tarballs).at(-1);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: 'cc-delegate', 'dist-tags': { latest }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A marketplace folder whose one plugin comes from npm in this version; written anew for another. */
export function writeMarketplace(folder: string, version: string): void {
  mkdirSync(join(folder, '.claude-plugin'), { recursive: true });
  const plugin = { name: 'cc-delegate', source: { source: 'npm', package: 'cc-delegate', version } };
  writeFileSync(
    join(folder, '.claude-plugin', 'marketplace.json'),
    JSON.stringify({ name: 'from-npm', owner: { name: 'a test' }, plugins: [plugin] }),
  );
}
