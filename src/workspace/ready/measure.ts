import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

/** Something in a dependency folder that leads back to the user's own files, and so may not be in a copy. */
export interface Escape {
  /** Relative to the checkout. */
  readonly path: string;
  readonly why: string;
}

/** A dependency folder as it stands in the user's checkout. */
export type Measured =
  | {
      readonly kind: 'folder';
      readonly path: string;
      readonly files: number;
      readonly bytes: number;
      /** Over a limit: counting ended there. */
      readonly over: boolean;
      readonly escapes: readonly Escape[];
    }
  /** A link in its place, or what cannot be read. */
  | { readonly kind: 'unusable'; readonly path: string; readonly why: string };

export interface SizeLimits {
  readonly files: number;
  readonly bytes: number;
}

const POINTER_FILE = /\.(pth|egg-link)$|(^|\/)\.bundle\/config$/;
const POINTER_MAX_BYTES = 64 * 1024;
const FOLDERS_A_BREATH = 200;

/** Counts a folder of the checkout, and finds what leads out of it. Links are not followed; errors are a kind. */
export async function measure(checkout: string, path: string, limits: SizeLimits): Promise<Measured> {
  try {
    const stat = lstatSync(join(checkout, path));
    if (stat.isSymbolicLink()) return { kind: 'unusable', path, why: 'it is a link' };
    if (!stat.isDirectory()) return { kind: 'unusable', path, why: 'it is no folder' };
    return await walk(checkout, path, limits);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (code === null) throw error;
    return { kind: 'unusable', path, why: `it cannot be read (${code})` };
  }
}

/** By the synchronous calls, which are several times faster, with a breath for everything else now and then. */
async function walk(checkout: string, top: string, limits: SizeLimits): Promise<Measured> {
  const waiting = [top];
  const escapes: Escape[] = [];
  let [files, bytes, folders] = [0, 0, 0];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    folders += 1;
    if (folders % FOLDERS_A_BREATH === 0) await breathe();
    for (const entry of readdirSync(join(checkout, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        waiting.push(path);
        continue;
      }
      files += 1;
      const why = entry.isSymbolicLink() ? linkEscape(checkout, path) : pointerEscape(checkout, path);
      if (why !== null) escapes.push({ path, why });
      bytes += lstatSync(join(checkout, path)).size;
    }
    if (files > limits.files || bytes > limits.bytes) {
      return { kind: 'folder', path: top, files, bytes, over: true, escapes };
    }
  }
  return { kind: 'folder', path: top, files, bytes, over: false, escapes };
}

/** A relative link that stays in the checkout means the same in a copy; every other one means the user's files. */
function linkEscape(checkout: string, path: string): string | null {
  return leadsOut(checkout, path, readlinkSync(join(checkout, path)));
}

/** Why a link at `path` with this target may not be in a copy of the checkout; null when it may. */
export function leadsOut(checkout: string, path: string, target: string): string | null {
  const resolved = resolve(dirname(join(checkout, path)), target);
  const inside = resolved === checkout || resolved.startsWith(checkout + sep);
  if (!inside) return 'a link that leads out of the checkout';
  return isAbsolute(target) ? 'a link into your checkout' : null;
}

function pointerEscape(checkout: string, path: string): string | null {
  if (!POINTER_FILE.test(path)) return null;
  const file = join(checkout, path);
  if (lstatSync(file).size > POINTER_MAX_BYTES) return null;
  return readFileSync(file).includes(checkout) ? 'names a folder of your checkout' : null;
}
