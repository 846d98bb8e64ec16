import { parseDuration } from '../../job/duration.ts';
import type { Limits } from '../../job/limits.ts';
import { isAbove, permissionMode } from '../../job/permission-mode.ts';
import { hasTool, parseRule } from '../../job/tool-rules.ts';
import type { Bounds } from './bounds.ts';
import { callWords, leadsOut } from './call-words.ts';

/**
 * The options of a call that go beyond the settings, as `--flag value`. Without `bounds` nothing is known, so everything
 * that could be beyond is.
 */
export function optionsBeyond(args: readonly string[], bounds: Bounds | null): string[] {
  const { has, values } = callWords(args);
  const plain = Object.entries(PLAIN_FLAGS).flatMap(([flag, isBeyond]) =>
    has(flag) && (bounds === null || isBeyond(bounds)) ? [flag] : [],
  );
  const valued = Object.entries(VALUE_FLAGS).flatMap(([flag, isWithin]) =>
    values(flag).flatMap((value) => (bounds !== null && isWithin(value, bounds) ? [] : [`${flag} ${value}`])),
  );
  return [...plain, ...valued, ...filesElsewhere(args)];
}

/** Files named to be read or written that are not below the directory of the call. */
export function filesElsewhere(args: readonly string[]): string[] {
  const { values } = callWords(args);
  // With `--repo` a path is below another directory, wherever that is.
  const isElsewhere = (path: string): boolean => leadsOut(path) || values('--repo').length > 0;
  return FILE_FLAGS.flatMap((flag) =>
    values(flag).flatMap((path) => (isElsewhere(path) ? [`${flag} ${path}`] : [])),
  );
}

const FILE_FLAGS = ['--file', '--prompt-file', '--text-file', '--done-file', '--schema', '--out'];

const PLAIN_FLAGS: Readonly<Record<string, (bounds: Bounds) => boolean>> = {
  '--allow-unsandboxed': (bounds) => !bounds.allowUnsandboxed,
  '--anyway': () => true,
  // An ask shows a model the same files, but runs no commands over them.
  '--include-dirty': (bounds) => bounds.network === 'full',
};

type Within = (value: string, bounds: Bounds) => boolean;

/**
 * Is this value of the option within the settings? What is not here is free, of the worker's options these: `--engine`,
 * since the user's own client works in the same sandbox, for the same money, with the same models; `--client-prompt`,
 * which makes a call somewhat dearer, within the budget; `--deny-tool`, which only narrows.
 */
const VALUE_FLAGS: Readonly<Record<string, Within>> = {
  '--profile': (value, { defaultProfile }) => value === defaultProfile,
  '--model': () => false,
  '--small-model': () => false,
  '--budget': (value, { perJob }) => Number(value) <= perJob,
  '--raise-budget': (value, { perJob }) => Number(value) <= perJob,
  '--timeout': limit('timeout'),
  '--raise-timeout': limit('timeout'),
  '--stall-timeout': limit('stallTimeout'),
  '--ask-timeout': limit('askTimeout'),
  '--test-timeout': limit('testTimeout'),
  '--max-steps': limit('maxSteps'),
  '--max-turns': limit('maxSteps'),
  '--max-grades': limit('maxGrades'),
  '--network': (value, { network }) => value === 'none' || network === 'full',
  '--pass-env': (value, { pass }) => pass.includes(value),
  '--add-dir': (value, { addDirs }) =>
    !value.split('/').includes('..') && addDirs.some((dir) => value === dir || value.startsWith(`${dir}/`)),
  '--permission-mode': isModeWithin,
  '--allow-tool': isRuleWithin,
};

/** A word that is no mode is the verb's own to refuse. */
function isModeWithin(value: string, bounds: Bounds): boolean {
  const mode = permissionMode(value);
  return mode !== null && (bounds.permissionMode === null || !isAbove(mode, bounds.permissionMode));
}

/** Seconds and counts; what is no number is the verb's own to refuse. */
function limit(name: Exclude<keyof Limits, 'budgetUsd'>): Within {
  return (value, { limits }) => (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= limits[name];
}

/** A rule narrows what a worker has, at the start and in a later turn; but under a mode that keeps tools back it adds. */
function isRuleWithin(value: string, { permissionMode: mode }: Bounds): boolean {
  const tool = parseRule(value)?.tool;
  return tool !== undefined && hasTool(tool, { allowTools: [], denyTools: [], permissionMode: mode });
}
