import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What every digest of a tree begins with. */
export const TREE_PREFIX = 'tree:';

/**
 * One digest for everything below a folder but `.git`: names, kinds, modes, sizes and the time of the last
 * change, which nobody but the kernel sets. No content is read and no link followed. A folder that is gone
 * or cannot be read has a digest of its own.
 */
export async function treeDigest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const waiting = [''];
  try {
    for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
      const names = (await readdir(join(folder, below))).filter((name) => name !== '.git').sort();
      for (const name of names) {
        const path = below === '' ? name : `${below}/${name}`;
        const stat = await lstat(join(folder, path), { bigint: true });
        hash.update(`${path}\0${stat.mode}\0`);
        if (stat.isDirectory()) waiting.push(path);
        else hash.update(`${stat.size}\0${stat.ctimeNs}\0`);
      }
    }
    return `${TREE_PREFIX}${hash.digest('hex')}`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return `${TREE_PREFIX}unreadable: ${code}`;
  }
}
