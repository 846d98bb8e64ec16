import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { parseDuration } from '../job/duration.ts';
import { PERMISSION_MODES } from '../job/permission-mode.ts';
import { BOUNDARIES, NETWORKS } from '../job/record.ts';
import { nameText, PROFILE_NAME, profileSchema, VARIABLE_NAME } from './profile.ts';

export const MODES = ['off', 'ondemand', 'auto'] as const;

const money = z.number().nonnegative();
/** `none`, in words, since a cap that is left out is the default one. */
const cap = money.or(z.literal('none').transform(() => null));
const whole = z.number().int().nonnegative();
const positive = z.number().int().positive();
const profileName = z.string().regex(PROFILE_NAME, 'letters, digits, _ and -, at most 64');

const duration = z.union([z.number().nonnegative(), z.string()]).transform((value, context) => {
  const seconds = typeof value === 'number' ? value : parseDuration(value);
  if (seconds !== null) return seconds;
  context.addIssue({ code: 'custom', message: 'seconds, or a text such as 90s, 30m, 2h' });
  return z.NEVER;
});

const folder = z.string().refine((path) => isAbsolute(path) || path === '~' || path.startsWith('~/'), {
  message: 'an absolute path, or one that starts with ~/',
});

/** Of these signs every text is a glob that can be read. */
const pathGlob = z
  .string()
  .min(1)
  .max(200)
  .refine((glob) => !/[[\]\\]|^[/~]|(^|\/)\.\.(\/|$)/.test(glob) && glob.trim() === glob, {
    message: 'paths in a repository with * ? ** {a,b}, such as .env* or secrets/**',
  });

/**
 * `config.yaml` as people write it: everything optional, keys we do not know kept. Durations in seconds after
 * parsing, money in US dollars. What a key means is said in contract.md, "Models and profiles".
 */
export const configSchema = z.looseObject({
  mode: z.enum(MODES).optional(),
  /** `all`, or the only models that may be used, as `provider:model`. */
  allowedModels: z.union([z.literal('all'), z.array(nameText)]).optional(),
  defaultProfile: profileName.optional(),
  graderProfile: profileName.optional(),
  permissionMode: z.enum(PERMISSION_MODES).optional(),
  permissionCeiling: z.enum(PERMISSION_MODES).optional(),
  budget: z
    .looseObject({
      perJob: money.optional(),
      perDay: cap.optional(),
      perRepository: cap.optional(),
    })
    .optional(),
  limits: z
    .looseObject({
      maxSteps: whole.optional(),
      maxGrades: whole.optional(),
      maxTokens: whole.optional(),
      timeout: duration.optional(),
      stallTimeout: duration.optional(),
      askTimeout: duration.optional(),
      commandTimeout: duration.optional(),
      preflightTimeout: duration.optional(),
      testTimeout: duration.optional(),
    })
    .optional(),
  concurrency: z
    .looseObject({
      total: positive.optional(),
      perProvider: positive.optional(),
      queueTimeout: duration.optional(),
    })
    .optional(),
  sandbox: z
    .looseObject({
      allowUnsandboxed: z.boolean().optional(),
      boundary: z.enum(BOUNDARIES).optional(),
      network: z.enum(NETWORKS).optional(),
      runtime: z.string().refine(isAbsolute, 'the absolute path of a sandbox runtime (srt)').optional(),
    })
    .optional(),
  /** The client of the claude engine. */
  claude: z
    .looseObject({
      path: z.string().refine(isAbsolute, 'the absolute path of claude').optional(),
      prompt: z.enum(['slim', 'full']).optional(),
    })
    .optional(),
  env: z
    .looseObject({
      pass: z.array(z.string().regex(VARIABLE_NAME, 'the name of an environment variable')).optional(),
    })
    .optional(),
  addDirs: z.array(folder).optional(),
  neverSend: z.array(pathGlob).optional(),
  retention: z.looseObject({ days: z.number().nonnegative().optional() }).optional(),
  apply: z.looseObject({ ask: z.boolean().optional() }).optional(),
  supervisorModel: nameText.optional(),
  /** The status line's own settings; it parses them itself. */
  statusline: z.looseObject({}).optional(),
  profiles: z.record(profileName, profileSchema).optional(),
});

/** What the user wrote in `config.yaml`. */
export type UserConfig = z.infer<typeof configSchema>;

/** The key paths `config set` takes, `*` standing for a name; for messages and for telling a typing error. */
export const KNOWN_KEYS: readonly string[] = [
  'mode',
  'allowedModels',
  'defaultProfile',
  'graderProfile',
  'permissionMode',
  'permissionCeiling',
  'budget.perJob',
  'budget.perDay',
  'budget.perRepository',
  'limits.maxSteps',
  'limits.maxGrades',
  'limits.maxTokens',
  'limits.timeout',
  'limits.stallTimeout',
  'limits.askTimeout',
  'limits.commandTimeout',
  'limits.preflightTimeout',
  'limits.testTimeout',
  'concurrency.total',
  'concurrency.perProvider',
  'concurrency.queueTimeout',
  'sandbox.allowUnsandboxed',
  'sandbox.boundary',
  'sandbox.network',
  'sandbox.runtime',
  'claude.path',
  'claude.prompt',
  'env.pass',
  'addDirs',
  'neverSend',
  'retention.days',
  'apply.ask',
  'supervisorModel',
  'statusline.*',
  'profiles.*.provider',
  'profiles.*.model',
  'profiles.*.smallModel',
  'profiles.*.graderModel',
  'profiles.*.roleModels.implementer',
  'profiles.*.roleModels.tester',
  'profiles.*.roleModels.reviewer',
  'profiles.*.baseUrl',
  'profiles.*.api',
  'profiles.*.keyEnv',
  'profiles.*.headers.*',
  'profiles.*.fallbacks',
  'profiles.*.region',
  'profiles.*.project',
  'profiles.*.location',
  'profiles.*.apiVersion',
  'profiles.*.prices.input',
  'profiles.*.prices.output',
  'profiles.*.prices.cacheRead',
  'profiles.*.prices.cacheWrite',
  'profiles.*.engine',
  'profiles.*.permissionMode',
  'profiles.*.contextWindow',
  'profiles.*.maxOutput',
  'profiles.*.dataPolicy.collection',
  'profiles.*.dataPolicy.zdr',
];
