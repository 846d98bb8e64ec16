import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { errorCode } from '../../store/storage-error.ts';
import { foldersAbove } from './probe.ts';

/** A file, link or nothing, exactly enough to say later whether it is still the same, and to put it back. */
export const PathState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('absent') }),
  z.object({
    kind: z.literal('file'),
    sha256: z.string(),
    /** Permission bits. */
    mode: z.number(),
    uid: z.number(),
    gid: z.number(),
    /** Microseconds since 1970: what Node can set again. Null where it does not matter. */
    mtimeUs: z.number().nullable(),
  }),
  z.object({ kind: z.literal('link'), targetBase64: z.string(), mtimeUs: z.number().nullable() }),
]);
export type PathState = z.infer<typeof PathState>;
export type Observed = PathState | { readonly kind: 'folder' } | { readonly kind: 'other' };

/** What stands at `path` now; links are not followed. */
export async function observe(path: string): Promise<Observed> {
  try {
    const stats = await lstat(path, { bigint: true });
    if (stats.isDirectory()) return { kind: 'folder' };
    if (stats.isSymbolicLink()) {
      const target = await readlink(path, { encoding: 'buffer' });
      return { kind: 'link', targetBase64: target.toString('base64'), mtimeUs: microseconds(stats) };
    }
    return stats.isFile() ? await fileState(path, stats) : { kind: 'other' };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    throw error;
  }
}

/**
 * The same for a path below `checkout`, without going through a link above it: what is not below real
 * folders is not there.
 */
export async function observeBelow(checkout: string, path: string): Promise<Observed> {
  for (const folder of foldersAbove(path)) {
    if ((await observe(join(checkout, folder))).kind !== 'folder') return { kind: 'absent' };
  }
  return observe(join(checkout, path));
}

async function fileState(path: string, stats: BigIntStats): Promise<PathState> {
  return {
    kind: 'file',
    sha256: await sha256Of(path),
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    mtimeUs: microseconds(stats),
  };
}

function microseconds(stats: BigIntStats): number {
  return Number(stats.mtimeNs / 1000n);
}

/** Hex SHA-256 of a file's bytes, read piece by piece. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Equal in everything a user can see but the time. */
export function sameState(one: Observed, other: Observed): boolean {
  if (one.kind === 'file' && other.kind === 'file') {
    return one.sha256 === other.sha256 && one.mode === other.mode;
  }
  if (one.kind === 'link' && other.kind === 'link') return one.targetBase64 === other.targetBase64;
  return one.kind === other.kind && one.kind !== 'other';
}
