import { NETWORKS, type Network } from '../job/record.ts';
import { refuseUnshared } from './given-files.ts';
import { number, parseVerb, seconds, usage } from './parse.ts';
import { protectedGlob } from './protected-glob.ts';
import { readText, readTextFile } from './text-input.ts';
import type { VerbContext } from './verb.ts';
import { WORKER_OPTIONS, type WorkerRequest, workerRequest } from './worker-options.ts';

export const START_HELP = `cc-delegate start "TASK" [options] | --prompt-file F | -

Hands a task to a worker: a workspace of its own, a branch delegate/<id>, and
the test command, run by us in a clean checkout, as the judge. Prints the id at
once.

  --test CMD              the test command; without it the result is unproven
  --done TEXT             what "done" means, a criterion a bullet; --done-file F
  --max-grades N          how often a grader judges it (6); 0: it does not
  --protect GLOB          put back from the base before the tests run once more,
                          as existing tests are anyhow (repeatable)
  --allow-test-edits      edits of existing tests may count; they are listed
  --gate-must-fail-first  for a bug fix: the tests have to fail without the work
  --scope DIR             where changes belong; others are flagged (repeatable)
  --setup CMD             makes a checkout ready, e.g. "npm ci"
  --title TEXT            for tables; default: the first line of the task
  --profile NAME          which model, by profile; or --model PROVIDER:MODEL
  --small-model MODEL     for side jobs of the claude engine
  --base REV              where to start from (HEAD)
  --include-dirty         from HEAD and your uncommitted work, not ignored files
  --after ID              when that job has succeeded, from its result
  --budget USD            stop when it is spent (5)
  --max-steps N           model calls (400); also --max-turns
  --timeout T             seconds or 30m (30m); --stall-timeout (300),
                          --ask-timeout (600), --test-timeout (600)
  --append-system-prompt TEXT
  --engine native|claude  our own loop, or a headless Claude Code (native)
  --client-prompt slim|full  how much of its own prompt that one has (slim)
  --allow-tool RULE       only what rules name: Read, "Bash(git log *)" (repeat)
  --deny-tool RULE        not this, whatever is allowed: Bash, "Bash(rm *)"
  --permission-mode M     plan: looks only; default: and what --allow-tool has;
                          acceptEdits: and edits files; auto, bypassPermissions
  --add-dir DIR           a folder it may read as well, never change (repeat)
  --pass-env NAME         let the worker's commands see a variable (repeatable)
  --network none|full     what its commands may reach (none)
  --allow-unsandboxed     run though no full sandbox is available, this time
  --force-start           go on though the test command cannot run on the base
  --anyway                once more, though the same brief has failed twice
  --no-preflight-wait     do not wait for the test run on the base
  --wait S                wait up to S seconds for the end; exit as wait

Lines from a file or stdin are taken verbatim.`;

/** What `start` was asked for, checked in form; undefined where nothing was said. */
export interface StartRequest extends WorkerRequest {
  readonly prompt: string;
  readonly done: string | undefined;
  readonly test: string | undefined;
  readonly setup: string | undefined;
  readonly title: string | undefined;
  readonly profile: string | undefined;
  readonly model: string | undefined;
  readonly smallModel: string | undefined;
  readonly base: string | undefined;
  /** The base is HEAD with the uncommitted work over it. */
  readonly includeDirty: boolean;
  /** Jobs as they were typed. */
  readonly after: readonly string[];
  readonly limits: {
    readonly budgetUsd: number | undefined;
    readonly maxSteps: number | undefined;
    readonly timeout: number | undefined;
    readonly stallTimeout: number | undefined;
    readonly askTimeout: number | undefined;
    readonly testTimeout: number | undefined;
    readonly maxGrades: number | undefined;
  };
  readonly appendSystemPrompt: string | undefined;
  /** Folders, as typed. */
  readonly scope: readonly string[];
  /** Globs. */
  readonly protect: readonly string[];
  readonly allowTestEdits: boolean;
  readonly mustFailFirst: boolean;
  /** Try once more what has failed twice already. */
  readonly anyway: boolean;
  readonly passEnv: readonly string[];
  readonly network: Network | undefined;
  readonly allowUnsandboxed: boolean;
  readonly forceStart: boolean;
  readonly preflightWait: boolean;
  readonly wait: number | undefined;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const OPTIONS = {
  'prompt-file': text,
  done: text,
  'done-file': text,
  test: text,
  setup: text,
  title: text,
  profile: text,
  model: text,
  'small-model': text,
  base: text,
  'include-dirty': flag,
  after: { type: 'string', multiple: true },
  budget: text,
  'max-steps': text,
  'max-turns': text,
  timeout: text,
  'stall-timeout': text,
  'ask-timeout': text,
  'test-timeout': text,
  'max-grades': text,
  'append-system-prompt': text,
  ...WORKER_OPTIONS,
  scope: { type: 'string', multiple: true },
  protect: { type: 'string', multiple: true },
  'allow-test-edits': flag,
  'gate-must-fail-first': flag,
  anyway: flag,
  'pass-env': { type: 'string', multiple: true },
  network: text,
  'allow-unsandboxed': flag,
  'force-start': flag,
  'no-preflight-wait': flag,
  wait: text,
} as const;

/**
 * Reads the arguments of `start`. Throws UserError: exit 2 for what is not of their form, exit 5 for files a model may
 * not hand over.
 */
export async function startRequest(context: VerbContext): Promise<StartRequest> {
  const { values, positionals } = parseVerb(context.args, OPTIONS);
  await refuseUnshared(context, [values['done-file']]);
  const source = { name: 'task', words: positionals, file: values['prompt-file'], fileOption: 'prompt-file' };
  return {
    prompt: await readText(context, source),
    done: doneText(context.cwd, values.done, values['done-file']),
    test: filled('test', values.test),
    setup: filled('setup', values.setup),
    title: values.title,
    profile: values.profile,
    model: values.model,
    smallModel: values['small-model'],
    base: values.base,
    includeDirty: values['include-dirty'] === true,
    after: values.after ?? [],
    limits: {
      budgetUsd: number('budget', values.budget, { least: 0, whole: false }),
      maxSteps: number('max-steps', values['max-steps'] ?? values['max-turns'], { least: 0, whole: true }),
      timeout: seconds('timeout', values.timeout),
      stallTimeout: seconds('stall-timeout', values['stall-timeout']),
      askTimeout: seconds('ask-timeout', values['ask-timeout']),
      testTimeout: seconds('test-timeout', values['test-timeout']),
      maxGrades: number('max-grades', values['max-grades'], { least: 0, whole: true }),
    },
    appendSystemPrompt: values['append-system-prompt'],
    ...workerRequest(values),
    scope: values.scope ?? [],
    protect: (values.protect ?? []).map(protectedGlob),
    allowTestEdits: values['allow-test-edits'] === true,
    mustFailFirst: values['gate-must-fail-first'] === true,
    anyway: values.anyway === true,
    passEnv: (values['pass-env'] ?? []).map(variableName),
    network: network(values.network),
    allowUnsandboxed: values['allow-unsandboxed'] === true,
    forceStart: values['force-start'] === true,
    preflightWait: values['no-preflight-wait'] !== true,
    wait: seconds('wait', values.wait),
  };
}

function doneText(cwd: string, done: string | undefined, file: string | undefined): string | undefined {
  if (done !== undefined && file !== undefined)
    throw usage('"done" is given twice', file, 'give --done or --done-file');
  return filled('done', file === undefined ? done : readTextFile(cwd, file));
}

/** An empty command or definition is a mistake of the caller, not "none". */
function filled(option: string, value: string | undefined): string | undefined {
  if (value !== undefined && value.trim() === '')
    throw usage(`--${option} is empty`, '', `leave --${option} out, or fill it`);
  return value;
}

function network(value: string | undefined): Network | undefined {
  if (value === undefined) return undefined;
  const known = NETWORKS.find((each) => each === value);
  if (known !== undefined) return known;
  throw usage('--network takes none or full', value, 'e.g. --network none');
}

function variableName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw usage('--pass-env takes the name of a variable', name, 'e.g. --pass-env DATABASE_URL');
}
