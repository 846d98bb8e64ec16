import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAtOrBelow } from '../../workspace/sandbox/mounts.ts';

/**
 * Folders the client's program reads beside itself. A script reads the rest of its package, which is the nearest of the
 * two folders above it that has a package.json; where it lies in none, all there is of it is the file. Never a folder that
 * holds `home`, whatever lies in it. `client` is absolute, no link.
 */
export function programFiles(client: string, home: string): readonly string[] {
  if (!/\.[cm]?js$/.test(client)) return [];
  const folder = [dirname(client), dirname(dirname(client))].find((each) =>
    existsSync(join(each, 'package.json')),
  );
  return folder === undefined || isAtOrBelow(home, folder) ? [] : [folder];
}
