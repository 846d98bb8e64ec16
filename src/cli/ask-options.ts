import { refuseUnshared } from './given-files.ts';
import { inlined } from './inline-files.ts';
import { number, parseVerb, seconds } from './parse.ts';
import { readSchema } from './read-schema.ts';
import type { StartRequest } from './start-options.ts';
import { readText } from './text-input.ts';
import type { VerbContext } from './verb.ts';
import { refuseHands, WORKER_OPTIONS, workerRequest } from './worker-options.ts';

export const ASK_HELP = `cc-delegate ask "QUESTION" [options] | --prompt-file F | -

Asks another model. It looks at a snapshot of this checkout, uncommitted work
included and ignored files never, and changes nothing. Waits up to 100 s for the
answer and prints it; else prints the id, and the answer is fetched with result.

  --file F                a file it gets whole, with the question (repeatable)
  --no-tools              one model call, without looking at the checkout
  --schema F              a JSON schema the answer has to fit
  --title TEXT            for tables; default: the first line of the question
  --profile NAME          which model, by profile; or --model PROVIDER:MODEL
  --small-model MODEL     for side jobs of the claude engine
  --budget USD            stop when it is spent (5)
  --max-steps N           model calls (400); --timeout T  seconds or 30m (30m)
  --stall-timeout T       (300)
  --append-system-prompt TEXT
  --engine native|claude  who looks (native); where nothing is to be looked at,
                          as with --no-tools, always native
  --allow-tool RULE       only this: Read, Grep or Glob; --deny-tool: not this
  --add-dir DIR           a folder it may read as well (repeatable)
  --permission-mode M     and --client-prompt: as in start
  --allow-unsandboxed     though no full sandbox is available, this time
  --wait S                how long to wait (100); 0 not at all

Works outside a git repository too, with what is in the question and its files.
Exit: 0 answered, or still at it; 1 not; with --wait S as wait.`;

/** What `ask` was asked for, checked in form. */
export interface AskRequest {
  /** The terms, in the form of a start. */
  readonly start: StartRequest;
  /** May it look at the checkout? */
  readonly tools: boolean;
  readonly schema: unknown;
  readonly wait: number | undefined;
}

const text = { type: 'string' } as const;
const many = { type: 'string', multiple: true } as const;

const OPTIONS = {
  'prompt-file': text,
  file: many,
  'no-tools': { type: 'boolean' },
  schema: text,
  title: text,
  profile: text,
  model: text,
  'small-model': text,
  budget: text,
  'max-steps': text,
  'max-turns': text,
  timeout: text,
  'stall-timeout': text,
  'append-system-prompt': text,
  ...WORKER_OPTIONS,
  'allow-unsandboxed': { type: 'boolean' },
  wait: text,
} as const;

/**
 * Reads the arguments of `ask`, its files and its schema. Throws UserError: exit 2 for what is not of their form, exit 5
 * for files a model may not hand over.
 */
export async function askRequest(context: VerbContext): Promise<AskRequest> {
  const { values, positionals } = parseVerb(context.args, OPTIONS);
  const file = values['prompt-file'];
  const source = { name: 'question', words: positionals, file, fileOption: 'prompt-file' };
  const question = await readText(context, source);
  const files = values.file ?? [];
  await refuseUnshared(context, [...files, values.schema]);
  const worker = workerRequest(values);
  refuseHands(worker.allowTools);
  const schema = values.schema === undefined ? null : readSchema(context.cwd, values.schema);
  return {
    start: {
      ...NO_TASK,
      prompt: inlined(context.cwd, question, files),
      title: values.title ?? question.trim().split('\n')[0],
      profile: values.profile,
      model: values.model,
      smallModel: values['small-model'],
      limits: {
        ...NO_TASK.limits,
        budgetUsd: number('budget', values.budget, { least: 0, whole: false }),
        maxSteps: number('max-steps', values['max-steps'] ?? values['max-turns'], { least: 0, whole: true }),
        timeout: seconds('timeout', values.timeout),
        stallTimeout: seconds('stall-timeout', values['stall-timeout']),
      },
      appendSystemPrompt: values['append-system-prompt'],
      ...worker,
      allowUnsandboxed: values['allow-unsandboxed'] === true,
    },
    tools: values['no-tools'] !== true,
    schema,
    wait: seconds('wait', values.wait),
  };
}

/** What only a task can be asked for. */
const NO_TASK = {
  done: undefined,
  test: undefined,
  setup: undefined,
  base: undefined,
  includeDirty: false,
  after: [],
  limits: { askTimeout: undefined, testTimeout: undefined, maxGrades: undefined },
  scope: [],
  protect: [],
  allowTestEdits: false,
  mustFailFirst: false,
  anyway: false,
  passEnv: [],
  network: 'none',
  forceStart: false,
  preflightWait: false,
  wait: undefined,
} as const;
