import { count } from '../../job/format.ts';
import type { Escape, Measured, SizeLimits } from './measure.ts';

/** How a dependency folder of the user's checkout gets into the workspace, or why it does not. */
export type DependencyPlan =
  | {
      readonly kind: 'copy';
      readonly path: string;
      readonly files: number;
      readonly bytes: number;
      /** What of it is not copied. */
      readonly leaveOut: readonly Escape[];
    }
  /** Shown read-only in its place: only where the sandbox can do that. */
  | { readonly kind: 'bind'; readonly path: string; readonly why: string }
  | { readonly kind: 'skip'; readonly path: string; readonly why: string };

/** In sum, over all folders of a job. */
export const DEPENDENCY_LIMITS: SizeLimits = { files: 100_000, bytes: 500_000_000 };

/** With more of them it is no copy any more, e.g. a store that all projects of the user share. */
const MOST_ESCAPES = 100;

/** Decides for each folder, the outermost first, until the limits are used up. */
export function planDependencies(
  found: readonly Measured[],
  options: { readonly limits: SizeLimits; readonly canBind: boolean },
): DependencyPlan[] {
  const { limits, canBind } = options;
  let left = limits;
  return [...found].sort(outermostFirst).map((folder): DependencyPlan => {
    const { path } = folder;
    if (folder.kind === 'unusable') return { kind: 'skip', path, why: folder.why };
    const { files, bytes, escapes } = folder;
    if (escapes.length > MOST_ESCAPES) {
      return { kind: 'skip', path, why: `${count(escapes.length, 'link')} in it lead out of the checkout` };
    }
    if (folder.over || files > left.files || bytes > left.bytes) {
      return { kind: canBind ? 'bind' : 'skip', path, why: tooBig(folder, limits) };
    }
    left = { files: left.files - files, bytes: left.bytes - bytes };
    return { kind: 'copy', path, files, bytes, leaveOut: escapes };
  });
}

function outermostFirst(a: Measured, b: Measured): number {
  const depth = a.path.split('/').length - b.path.split('/').length;
  return depth === 0 ? (a.path < b.path ? -1 : 1) : depth;
}

function tooBig(folder: { files: number; bytes: number; over: boolean }, limits: SizeLimits): string {
  const size = `${count(folder.files, 'file')}, ${megabytes(folder.bytes)}`;
  const limit = `${limits.files.toLocaleString('en-US')} files and ${megabytes(limits.bytes)}`;
  return `${folder.over ? 'more than ' : ''}${size}, over the limit of ${limit} in sum`;
}

/** As people count them. */
export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString('en-US')} MB`;
}
