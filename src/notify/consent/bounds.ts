import { DEFAULT_DAY_USD, DEFAULT_LIMITS, type Limits } from '../../job/limits.ts';
import type { PermissionMode } from '../../job/permission-mode.ts';
import type { Destination } from './first-send.ts';

/** By the profile's name, and by the provider in front of the model's. */
interface Named {
  readonly profiles: Readonly<Record<string, readonly Destination[]>>;
  readonly providers: Readonly<Record<string, readonly Destination[]>>;
}

/** What a model may use without asking: the user's own settings. */
export interface Bounds {
  readonly mode: 'off' | 'ondemand' | 'auto';
  readonly defaultProfile: string | null;
  /** Where a job without `--model` and `--profile` sends to; nothing: to this machine, or nobody knows. */
  readonly sendsTo: readonly Destination[];
  /** Where one with `--profile` or `--model` does, as far as there are keys. */
  readonly named?: Named | undefined;
  /** US dollars; null: no cap is set. */
  readonly perJob: number;
  readonly perDay: number | null;
  readonly perRepository: number | null;
  /** Seconds and counts. */
  readonly limits: Omit<Limits, 'budgetUsd'>;
  readonly network: 'none' | 'full';
  readonly allowUnsandboxed: boolean;
  readonly pass: readonly string[];
  readonly addDirs: readonly string[];
  /** What a job gets when no mode is named, the ceiling held against it; null: all tools of its role, unasked. */
  readonly permissionMode: PermissionMode | null;
  /** False: the client's own permission mode decides on apply. */
  readonly applyAsk: boolean;
}

const { budgetUsd, ...limits } = DEFAULT_LIMITS;

/** What holds before anybody has set anything. */
export const DEFAULT_BOUNDS: Bounds = {
  mode: 'ondemand',
  defaultProfile: null,
  sendsTo: [],
  perJob: budgetUsd,
  perDay: DEFAULT_DAY_USD,
  perRepository: null,
  limits,
  network: 'none',
  allowUnsandboxed: false,
  pass: [],
  addDirs: [],
  permissionMode: null,
  applyAsk: true,
};
