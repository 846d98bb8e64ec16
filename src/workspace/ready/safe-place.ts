import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parentOf } from '../../job/relative-path.ts';

/**
 * Makes the folders a path needs in a checkout of ours (0700), while nothing runs in it. Returns why nothing
 * may be put there: something stands at the path, or a part of the way is no folder, e.g. a link.
 */
export async function makeWay(checkout: string, path: string): Promise<string | null> {
  const parts = parentOf(path)
    .split('/')
    .filter((part) => part !== '');
  let folder = checkout;
  for (const part of parts) {
    folder = join(folder, part);
    const stat = await lstatOrNull(folder);
    if (stat === null) await mkdir(folder, { mode: 0o700 });
    else if (!stat.isDirectory()) return `${folder.slice(checkout.length + 1)} is no folder in the commit`;
  }
  return (await lstatOrNull(join(checkout, path))) === null ? null : 'the commit has this path itself';
}

async function lstatOrNull(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`cannot look at ${path} in ${dirname(path)}`, { cause: error });
  });
}
