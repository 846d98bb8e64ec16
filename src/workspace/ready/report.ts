import { count, visiblePath } from '../../job/format.ts';
import { INCLUDE_FILE } from './include-list.ts';
import type { NotProvided } from './include-snapshot.ts';
import type { Escape } from './measure.ts';

/**
 * What the workspace has beside the base's files, and what it lacks: known before the first paid token.
 * Names only, never contents. Paths are relative to the checkout.
 */
export interface ReadyReport {
  /** Of the user's checkout: the worker sees the base alone. */
  readonly uncommitted: { readonly changed: readonly string[]; readonly untracked: readonly string[] };
  /** Files of `.worktreeinclude`. */
  readonly included: readonly string[];
  readonly notIncluded: readonly NotProvided[];
  /** Lines of `.worktreeinclude` that name nothing that is there. */
  readonly includeMisses: readonly string[];
  /** Ignored files such as `.env` that `.worktreeinclude` does not name. */
  readonly environments: readonly string[];
  readonly dependencies: readonly { readonly path: string; readonly files: number; readonly bytes: number }[];
  readonly dependenciesBound: readonly string[];
  readonly dependenciesSkipped: readonly NotProvided[];
  /** Virtual environments and build folders. */
  readonly neverReused: readonly string[];
  /** What was left out of copied folders, since it leads to the user's own files. */
  readonly escapes: readonly Escape[];
  readonly changedLockFiles: readonly string[];
  readonly submodules: readonly string[];
  readonly submodulesMissing: readonly NotProvided[];
  readonly lfs: readonly string[];
  readonly lfsMissing: readonly NotProvided[];
}

const SET_UP = 'make it with --setup';

/** One short line for each thing the user should know; none when nothing is missing. */
export function reportLines(report: ReadyReport): string[] {
  const lines: (string | null)[] = [
    line(report.included, (names) => `${INCLUDE_FILE}: the worker gets ${names}`),
    reasons(report.notIncluded, (names) => `${INCLUDE_FILE}: not copied: ${names}`),
    line(report.includeMisses, (names) => `${INCLUDE_FILE} names what is not there: ${names}`),
    line(
      report.environments,
      (names) => `ignored, so not in the workspace: ${names}; name it in ${INCLUDE_FILE} if it is needed`,
    ),
    reasons(report.dependenciesSkipped, (names) => `not in the workspace: ${names}; ${SET_UP}`),
    line(report.neverReused, (names) => `never reused from your checkout: ${names}; ${SET_UP}`),
    reasons(report.escapes, (names) => `left out of the copied dependencies: ${names}; ${SET_UP}`),
    line(
      report.changedLockFiles,
      (names) => `${names} in your checkout differs from the base: the copied dependencies may not fit it`,
    ),
    reasons(report.submodulesMissing, (names) => `submodules not in the workspace: ${names}`),
    reasons(
      report.lfsMissing,
      (names) => `${count(report.lfsMissing.length, 'file')} of Git LFS without contents: ${names}`,
    ),
  ];
  return lines.filter((text) => text !== null);
}

const MOST_NAMED = 3;

function line(paths: readonly string[], say: (names: string) => string): string | null {
  return paths.length === 0 ? null : say(some(paths.map(visiblePath)));
}

function reasons(found: readonly NotProvided[], say: (names: string) => string): string | null {
  return found.length === 0 ? null : say(some(found.map(({ path, why }) => `${visiblePath(path)} (${why})`)));
}

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}

const MOST_LISTED = 100;

/** The same with every list cut to 100 entries, for an event; `cut` says how many are not there. */
export function shortReport(report: ReadyReport): Record<string, unknown> {
  let cut = 0;
  const shorten = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      cut += Math.max(0, value.length - MOST_LISTED);
      return value.slice(0, MOST_LISTED);
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
  };
  const short = Object.fromEntries(Object.entries(report).map(([key, value]) => [key, shorten(value)]));
  return { ...short, cut };
}
