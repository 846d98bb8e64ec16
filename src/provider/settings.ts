import { DEFAULT_DAY_USD, DEFAULT_LIMITS, type Limits } from '../job/limits.ts';
import type { PermissionMode } from '../job/permission-mode.ts';
import { type Concurrency, DEFAULT_CONCURRENCY } from '../job/queue.ts';
import type { Boundary, Network } from '../job/record.ts';
import type { MODES, UserConfig } from './config-schema.ts';
import type { Profile } from './profile.ts';

/** Every setting, with a value. `null` is "not set, and nothing stands in for it". */
export interface Settings {
  readonly mode: (typeof MODES)[number];
  readonly allowedModels: 'all' | readonly string[];
  readonly defaultProfile: string | null;
  readonly graderProfile: string | null;
  readonly permissionMode: PermissionMode | null;
  readonly permissionCeiling: PermissionMode | null;
  /** US dollars; null: no cap. A day goes from midnight to midnight where the user is. */
  readonly budget: {
    readonly perJob: number;
    readonly perDay: number | null;
    readonly perRepository: number | null;
  };
  /** Seconds and counts; the budget stands above. */
  readonly limits: Omit<Limits, 'budgetUsd'>;
  readonly concurrency: Concurrency;
  readonly sandbox: {
    readonly allowUnsandboxed: boolean;
    readonly boundary: Boundary;
    readonly network: Network;
    /** The path of the user's own sandbox runtime (`srt`), used where level `full` is not to be had. */
    readonly runtime: string | null;
  };
  /** The client of the claude engine: its program (null: the one on the PATH), and how much of its prompt it has. */
  readonly claude: { readonly path: string | null; readonly prompt: 'slim' | 'full' };
  readonly env: { readonly pass: readonly string[] };
  readonly addDirs: readonly string[];
  /** Globs of files whose content goes to no model. */
  readonly neverSend: readonly string[];
  readonly retention: { readonly days: number };
  readonly apply: { readonly ask: boolean };
  readonly supervisorModel: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** From the project's own file. */
  readonly test: string | null;
  readonly setup: string | null;
  readonly protect: readonly string[];
  readonly include: readonly string[];
  readonly scope: readonly string[];
}

const { budgetUsd, ...limits } = DEFAULT_LIMITS;

export const DEFAULT_SETTINGS: Settings = {
  mode: 'ondemand',
  allowedModels: 'all',
  defaultProfile: null,
  graderProfile: null,
  permissionMode: null,
  permissionCeiling: null,
  budget: { perJob: budgetUsd, perDay: DEFAULT_DAY_USD, perRepository: null },
  limits,
  concurrency: DEFAULT_CONCURRENCY,
  sandbox: { allowUnsandboxed: false, boundary: 'sandbox', network: 'none', runtime: null },
  claude: { path: null, prompt: 'slim' },
  env: { pass: [] },
  addDirs: [],
  neverSend: [],
  retention: { days: 14 },
  apply: { ask: true },
  supervisorModel: null,
  profiles: {},
  test: null,
  setup: null,
  protect: [],
  include: [],
  scope: [],
};

/** The job's limits under these settings. */
export function limitsOf(settings: Settings): Limits {
  return { ...settings.limits, budgetUsd: settings.budget.perJob };
}

/** One layer: any part of the settings. A group (`limits`) is laid over key by key, a list as a whole. */
export type Layer = {
  readonly [K in Exclude<keyof Settings, 'profiles'>]?: LayerValue<Settings[K]> | undefined;
} & { readonly profiles?: Settings['profiles'] | undefined };
type LayerValue<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : { readonly [K in keyof T]?: T[K] | undefined };

/** The settings the layers agree on, the later one winning. What is undefined in a layer leaves the one below. */
export function layOver(below: Settings, layer: Layer): Settings {
  const { budget, limits, concurrency, sandbox, claude, env, retention, apply, profiles, ...flat } = layer;
  return {
    ...below,
    ...withoutUndefined(flat),
    budget: { ...below.budget, ...withoutUndefined(budget ?? {}) },
    limits: { ...below.limits, ...withoutUndefined(limits ?? {}) },
    concurrency: { ...below.concurrency, ...withoutUndefined(concurrency ?? {}) },
    sandbox: { ...below.sandbox, ...withoutUndefined(sandbox ?? {}) },
    claude: { ...below.claude, ...withoutUndefined(claude ?? {}) },
    env: { ...below.env, ...withoutUndefined(env ?? {}) },
    retention: { ...below.retention, ...withoutUndefined(retention ?? {}) },
    apply: { ...below.apply, ...withoutUndefined(apply ?? {}) },
    profiles: { ...below.profiles, ...profiles },
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(values: T): Defined<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

/** The user's file as a layer: only what we know, so that an unknown key never looks like a setting. */
export function userLayer(config: UserConfig): Layer {
  const known = Object.entries(config).filter(([key]) => Object.hasOwn(DEFAULT_SETTINGS, key));
  return Object.fromEntries(known);
}
