import type {
  Engine,
  EngineEvent,
  EngineHost,
  ModelRef,
  RunOutcome,
  ToolDefinition,
  ToolResult,
} from '../../engine/engine.ts';
import { count, trimLine } from '../../job/format.ts';
import { WORKER_RETRY } from '../../job/limits.ts';
import type { Redactor } from '../../job/redaction/redactor.ts';
import type { CopyShell } from './copy-shell.ts';
import { Gate } from './gate.ts';
import { lookingTools, type SubRole, subAgentPrompt } from './roles.ts';
import { testerTools } from './tester-tools.ts';

/** So many work at a time; of those that edit the workspace's code, one. */
export const AT_A_TIME = 3;
/** A report is for reading, not a copy of the work. */
const REPORT_CHARACTERS = 20_000;

export interface SubAgentsOptions {
  readonly engine: Engine;
  /** Of a role; the worker's own where it has none. */
  readonly modelsOf: (role: SubRole) => readonly [ModelRef, ...ModelRef[]];
  /** The worker's tools on the workspace. */
  readonly tools: readonly ToolDefinition[];
  /** The job's own: one account for all. */
  readonly mayCall: EngineHost['mayCall'];
  readonly pauses?: Pick<EngineHost, 'pauseBefore' | 'pauseAsked'>;
  readonly emit: (event: EngineEvent) => void;
  /** A transcript for each. */
  readonly transcript: (name: string) => string;
  readonly redactor: Pick<Redactor, 'text' | 'known'>;
  readonly idleMs: number;
  readonly test: string | null;
  /** Opens the shell of a tester; null: there is none it could be held in. */
  readonly shell: ((name: string) => CopyShell) | null;
  /** Where in the workspace a path ends, every link followed; rejects outside. */
  readonly placeOf: (path: string) => Promise<string>;
}

/** The sub-agents of one job: each with a context, a transcript and a name of its own, none with the tool `task`. */
export class SubAgents {
  readonly #options: SubAgentsOptions;
  readonly #all = new Gate(AT_A_TIME);
  readonly #editors = new Gate(1);
  #count = 0;

  constructor(options: SubAgentsOptions) {
    this.#options = options;
  }

  /** Runs one to its end. Its failure is a result for the worker; rejects only on a bug. */
  async run(role: SubRole, prompt: string, signal: AbortSignal): Promise<ToolResult> {
    this.#count += 1;
    const name = `${role}#${this.#count}`;
    const work = () => this.#all.pass(() => this.#work(role, name, prompt, signal));
    const outcome = await (role === 'implementer' ? this.#editors.pass(work) : work());
    signal.throwIfAborted();
    return resultOf(name, outcome);
  }

  async #work(role: SubRole, name: string, prompt: string, signal: AbortSignal): Promise<RunOutcome> {
    if (signal.aborted) return { status: 'aborted' };
    const { engine, modelsOf, mayCall, pauses, emit, test, redactor, idleMs } = this.#options;
    const shell = role === 'tester' ? (this.#options.shell?.(name) ?? null) : null;
    try {
      const run = engine.start(
        {
          role,
          agent: name,
          system: subAgentPrompt(role, { test, hasShell: shell !== null }),
          prompt,
          models: modelsOf(role),
          conversation: { file: this.#options.transcript(name), resume: false, redactor },
          retry: WORKER_RETRY,
          idleMs,
        },
        { tools: this.#toolsOf(role, shell), ...pauses, mayCall, emit },
      );
      const abort = (): void => run.abort();
      signal.addEventListener('abort', abort, { once: true });
      const outcome = await run.done;
      signal.removeEventListener('abort', abort);
      return outcome;
    } finally {
      await shell?.close();
    }
  }

  #toolsOf(role: SubRole, shell: CopyShell | null): ToolDefinition[] {
    const { tools, placeOf } = this.#options;
    switch (role) {
      case 'implementer':
        return [...tools];
      case 'tester':
        return testerTools(tools, shell, placeOf);
      case 'reviewer':
        return lookingTools(tools);
    }
  }
}

function resultOf(name: string, outcome: RunOutcome): ToolResult {
  switch (outcome.status) {
    case 'done': {
      const text = cut(outcome.finalText);
      return { ok: true, text, summary: `${name}: ${trimLine(outcome.finalText, 80)}` };
    }
    case 'stopped':
      return failure(name, 'stopped by a limit of the job; its files are as it left them');
    case 'aborted':
      return failure(name, 'stopped');
    case 'failed':
      return failure(name, `failed (${outcome.kind}): ${outcome.message}`);
  }
}

function failure(name: string, why: string): ToolResult {
  return { ok: false, text: `${name} ${why}`, summary: `${name}: ${trimLine(why, 80)}` };
}

function cut(text: string): string {
  const left = text.length - REPORT_CHARACTERS;
  return left <= 0 ? text : `${text.slice(0, REPORT_CHARACTERS)}\n[cut: ${count(left, 'more character')}]`;
}
