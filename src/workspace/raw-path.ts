/**
 * A path as git has it: bytes, of which nobody promises that they are UTF-8. Each character stands for one
 * byte, so that a path can be a key of a map and no byte is lost. Relative, with slashes.
 */
export type RawPath = string & { readonly brand: 'RawPath' };

export function rawPath(bytes: Uint8Array): RawPath {
  return Buffer.from(bytes).toString('latin1') as RawPath;
}

/** The same path below `folder`, for file system calls. */
export function absoluteBytes(folder: string, path: RawPath): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/** For people and JSON: what is no UTF-8 becomes a replacement character. */
export function readable(path: RawPath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** Is it one of these paths, or below one? */
export function isAtOrBelow(path: string, tops: Iterable<string>): boolean {
  for (const top of tops) {
    if (path === top || path.startsWith(top.endsWith('/') ? top : `${top}/`)) return true;
  }
  return false;
}

/** Paths as git's `-z --stdin` reads them. */
export function nulList(paths: readonly RawPath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}
