import { PERMISSION_MODES, type PermissionMode, permissionMode } from '../job/permission-mode.ts';
import { TOOL_NAMES } from '../job/task.ts';
import { clientRule, LOOKING, parseRule, widerRules } from '../job/tool-rules.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { ENGINES, type EngineName } from '../provider/engine-name.ts';
import { usage } from './parse.ts';

const text = { type: 'string' } as const;
const many = { type: 'string', multiple: true } as const;

/** What the verbs that begin a conversation let one say of who works, and with what. */
export const WORKER_OPTIONS = {
  engine: text,
  'client-prompt': text,
  'permission-mode': text,
  'allow-tool': many,
  'deny-tool': many,
  'add-dir': many,
} as const;

/** Who works, and with what; undefined where nothing was said. */
export interface WorkerRequest {
  readonly engine: EngineName | undefined;
  readonly clientPrompt: 'slim' | 'full' | undefined;
  readonly permissionMode: PermissionMode | undefined;
  /** Rules in Claude Code's spelling. */
  readonly allowTools: readonly string[];
  readonly denyTools: readonly string[];
  /** Folders, as typed. */
  readonly addDirs: readonly string[];
}

/** Reads these options. Throws UserError (exit 2) for what is not of their form. */
export function workerRequest(values: {
  readonly engine?: string | undefined;
  readonly 'client-prompt'?: string | undefined;
  readonly 'permission-mode'?: string | undefined;
  readonly 'allow-tool'?: readonly string[] | undefined;
  readonly 'deny-tool'?: readonly string[] | undefined;
  readonly 'add-dir'?: readonly string[] | undefined;
}): WorkerRequest {
  return {
    engine: engineName(values.engine),
    clientPrompt: promptSize(values['client-prompt']),
    permissionMode: modeName(values['permission-mode']),
    allowTools: toolRules('--allow-tool', values['allow-tool']),
    denyTools: toolRules('--deny-tool', values['deny-tool']),
    addDirs: values['add-dir'] ?? [],
  };
}

/** Rules in Claude Code's spelling, each once. Throws UserError (exit 2) for one that names no tool. */
export function toolRules(
  option: '--allow-tool' | '--deny-tool',
  typed: readonly string[] | undefined,
): string[] {
  return [...new Set((typed ?? []).map((each) => known(option, each)))];
}

/**
 * Refuses (exit 2) a pattern the native engine cannot hold anything against: it judges commands, no paths. A rule that
 * looks as if it held, and does not, is worse than none.
 */
export function refuseForeignPatterns(
  engine: EngineName,
  rules: Pick<WorkerRequest, 'allowTools' | 'denyTools'>,
): void {
  if (engine === 'claude') return;
  for (const typed of [...rules.allowTools, ...rules.denyTools]) {
    const rule = parseRule(typed);
    if (rule === null || rule.pattern === null || rule.tool === 'bash') continue;
    throw usage(
      'only Bash takes a pattern with the native engine',
      typed,
      `name the whole tool: ${typed.replace(/\(.*$/s, '')}`,
    );
  }
}

/** Refuses (exit 5) a rule of a later turn that allows more than the turn before was allowed. */
export function refuseWiderRules(
  allowTools: readonly string[],
  before: Parameters<typeof widerRules>[1],
): void {
  const [wider] = widerRules(allowTools, before);
  if (wider === undefined) return;
  const had =
    before.allowTools.length === 0 ? 'what its permission mode allows' : before.allowTools.join(' ');
  throw new UserError({
    code: 'wider_rules',
    what: 'a later turn may be allowed less than the turn before, never more',
    value: `--allow-tool ${wider} (before: ${had})`,
    remedy: 'name a rule it had, or leave --allow-tool out; for more: cc-delegate start, or ask',
    exit: EXIT.refused,
  });
}

/** Of an ask: a rule that allows what it never has would leave it without anything to look with. Throws UserError (exit 2). */
export function refuseHands(allowTools: readonly string[]): void {
  const hand = allowTools.find((typed) => !LOOKING.includes(parseRule(typed)?.tool ?? ''));
  if (hand === undefined) return;
  throw usage('an ask looks and changes nothing, so it has no such tool', hand, 'allow Read, Grep or Glob');
}

function known(option: string, typed: string): string {
  const rule = clientRule(typed);
  if (rule !== null) return rule;
  throw usage(
    `${option} takes one tool, or one pattern of its commands such as "Bash(git log *)"`,
    typed,
    `one of: ${Object.keys(TOOL_NAMES).join(' ')}; each rule with its own ${option}`,
  );
}

function engineName(typed: string | undefined): EngineName | undefined {
  const found = ENGINES.find((each) => each === typed);
  if (typed === undefined || found !== undefined) return found;
  throw usage('no such engine', typed, `the engines there are: ${ENGINES.join(' ')}`);
}

function promptSize(typed: string | undefined): 'slim' | 'full' | undefined {
  if (typed === undefined || typed === 'slim' || typed === 'full') return typed;
  throw usage('--client-prompt takes slim or full', typed, 'e.g. --client-prompt slim');
}

function modeName(typed: string | undefined): PermissionMode | undefined {
  if (typed === undefined) return undefined;
  const found = permissionMode(typed);
  if (found !== null) return found;
  throw usage('no such permission mode', typed, `one of: ${PERMISSION_MODES.join(' ')}`);
}
