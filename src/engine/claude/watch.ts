import { isAbsolute, relative } from 'node:path';
import { trimLine } from '../../job/format.ts';
import type { RoundVerdict } from '../../job/loop-words.ts';
import type { EngineEvent, EngineHost } from '../engine.ts';
import type { DistributiveOmit } from '../http/attempts.ts';
import type { AgentNames } from './agent-names.ts';
import {
  type AssistantLine,
  type ClientLine,
  type ResultLine,
  readClientLine,
  resultText,
  type ToolResultBlock,
  type ToolUse,
  type UserLine,
} from './events.ts';
import type { Rounds } from './rounds.ts';
import type { Steering } from './steering.ts';

export interface WatchParts {
  readonly host: Pick<EngineHost, 'emit'>;
  /** The worker's name in events. */
  readonly agent: string;
  readonly names: AgentNames;
  readonly steering: Steering;
  readonly rounds: Rounds;
  readonly cwd: string;
  readonly now: () => number;
  /** Takes secrets out of what a tool has said. */
  readonly clean: (text: string) => string;
  readonly onSession: (session: string) => void;
  readonly onRound: (verdict: RoundVerdict) => void;
  /** The client has put a summary in the place of the conversation so far, or cut it. */
  readonly onCut: () => void;
}

const SUMMARY_WIDTH = 100;
const COMMAND_WIDTH = 60;

/** Reads what the client says and tells the host of its tools, receipts and results. Never throws. */
export class Watch {
  readonly #parts: WatchParts;
  readonly #open = new Map<string, { agent: string; use: ToolUse; since: number }>();
  /** Which sub-agent a call of the tool `Task` started. */
  readonly #started = new Map<string, string>();
  #result: ResultLine | null = null;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** The last one so far. */
  get result(): ResultLine | null {
    return this.#result;
  }

  line(text: string): void {
    const read = readClientLine(text);
    if (read.kind === 'garbage') {
      this.#emit({ t: 'warn', text: `the client said what is no event: ${trimLine(text, SUMMARY_WIDTH)}` });
    }
    if (read.kind === 'known') this.#heed(read.line);
  }

  tooLong(): void {
    this.#emit({ t: 'warn', text: 'the client said a line that is too long; it is left out' });
  }

  #heed(line: ClientLine): void {
    switch (line.type) {
      case 'system':
        this.#system(line);
        break;
      case 'assistant':
        this.#assistant(line);
        break;
      case 'user':
        this.#user(line);
        break;
      case 'result':
        this.#result = line;
        this.#parts.steering.turnEnded();
    }
  }

  #system(line: Extract<ClientLine, { type: 'system' }>): void {
    const { names, onSession } = this.#parts;
    switch (line.subtype) {
      case 'init':
        onSession(line.session_id);
        break;
      case 'task_started':
        this.#started.set(line.tool_use_id, names.nameOf(line.task_id, line.subagent_type ?? 'agent'));
        break;
      case 'compact_boundary': {
        const { pre_tokens: before, post_tokens: after } = line.compact_metadata;
        this.#emit({ t: 'compacted', before, after });
        this.#parts.onCut();
      }
    }
  }

  #assistant(line: AssistantLine): void {
    const { rounds, now, onRound } = this.#parts;
    const agent = this.#agentOf(line);
    for (const block of line.message.content) {
      if (block.type !== 'tool_use') continue;
      this.#open.set(block.id, { agent, use: block, since: now() });
      this.#parts.host.emit({ agent, t: 'tool_start', id: block.id, tool: block.name, args: block.input });
      if (agent !== this.#parts.agent) continue;
      void rounds.called(line.message.id, block.id, block.name, block.input).then(onRound);
    }
  }

  #user(line: UserLine): void {
    if (line.isReplay === true) this.#parts.steering.replayed(line.uuid);
    for (const block of line.message.content) {
      if (block.type === 'tool_result') this.#ended(block);
    }
  }

  #ended(block: ToolResultBlock): void {
    const { host, rounds, now, clean, cwd } = this.#parts;
    const call = this.#open.get(block.tool_use_id);
    if (call === undefined) return;
    this.#open.delete(block.tool_use_id);
    const { agent, use, since } = call;
    const text = resultText(block);
    // Before it is put together: some of it is known only where it stands alone.
    const summary = summaryOf(use, clean(text), cwd);
    const ok = block.is_error !== true;
    host.emit({ agent, t: 'tool_end', id: use.id, tool: use.name, ok, ms: now() - since, summary });
    if (agent === this.#parts.agent) rounds.answered(use.id, text);
  }

  #agentOf(line: AssistantLine): string {
    const { parent_tool_use_id: parent, agent_id: id, subagent_type: kind } = line;
    if (parent === null || parent === undefined) return this.#parts.agent;
    const known = this.#started.get(parent);
    return known ?? this.#parts.names.nameOf(id ?? parent, kind ?? 'agent');
  }

  #emit(event: DistributiveOmit<EngineEvent, 'agent'>): void {
    this.#parts.host.emit({ agent: this.#parts.agent, ...event });
  }
}

/**
 * One short line for the activity list: the file; the command, and what came of it; what a sub-agent is for, whose report
 * begins with words of the client's own (2.1.332); else what came of the call.
 */
function summaryOf({ name, input }: ToolUse, result: string, cwd: string): string {
  const path = wordIn(input, 'file_path');
  if (path !== null) return trimLine(below(cwd, path), SUMMARY_WIDTH);
  const task = name === 'Task' ? wordIn(input, 'description') : null;
  if (task !== null) return trimLine(task, SUMMARY_WIDTH);
  const command = wordIn(input, 'command');
  const [first = ''] = result.trim().split('\n');
  const shown = command === null ? first : `${trimLine(command, COMMAND_WIDTH)} → ${first || 'no output'}`;
  return trimLine(shown, SUMMARY_WIDTH);
}

function wordIn(input: unknown, name: 'file_path' | 'command' | 'description'): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const fields: Partial<Record<string, unknown>> = { ...input };
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

function below(cwd: string, path: string): string {
  const found = isAbsolute(path) ? relative(cwd, path) : path;
  return found.startsWith('..') ? path : found;
}
