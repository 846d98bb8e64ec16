import type { z } from 'zod';
import type { Prices, Spend } from '../job/cost.ts';
import type { Stop } from '../job/limits.ts';
import type { LoopVerdict } from '../job/loop.ts';
import type { Redactor } from '../job/redaction/redactor.ts';
import type { CallPrint } from '../job/stagnation.ts';
import type { CloudAccess, Login } from '../provider/access.ts';

/** The wire protocol of a model endpoint. */
export const MODEL_APIS = ['openai-chat', 'openai-responses', 'anthropic', 'google'] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/** Who a model request is made for; sent as the header `x-cc-delegate-role`. */
export type Role = 'worker' | 'grader' | 'implementer' | 'tester' | 'reviewer' | 'compactor';

/** One model on one endpoint, ready to be called. Lives in the runner's memory only: it holds the key. */
export interface ModelRef {
  /** The profile's provider, e.g. `openrouter`; for names and messages. */
  readonly provider: string;
  readonly model: string;
  readonly api: ModelApi;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** null: nobody knows what it costs. */
  readonly prices: Prices | null;
  /** Where the prices come from; absent: the user. */
  readonly priceBasis?: 'user' | 'table' | 'subscription' | undefined;
  /** Fields laid over the body of every request, such as a router's data policy. */
  readonly body?: Readonly<Record<string, z.core.util.JSONType>> | undefined;
  /** In place of a key: the saved login that gives fresh headers before each request. */
  readonly login?: Login | undefined;
  /** What a cloud's own way of signing needs; holds secrets, as `apiKey` does. */
  readonly cloud?: CloudAccess | undefined;
  /** Tokens; 128,000 is assumed where the endpoint's own size is unknown. */
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
}

/** What a tool gives back to the model. A failed command is a result, not an error of ours. */
export interface ToolResult {
  readonly ok: boolean;
  readonly text: string;
  /** One short line for the activity list, e.g. `src/a.ts (12 lines)`. */
  readonly summary: string;
}

export interface ToolContext {
  readonly signal: AbortSignal;
  readonly callId: string;
}

/** A tool of the worker. The host runs it, so that guard and sandbox are the same for every engine. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** Tools that only look may run side by side; the others run one after another. */
  readonly readOnly: boolean;
  /** `args` has passed `input`. Resolves with the result; rejects only when `signal` is aborted or on a bug. */
  run(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/** Why a request or a run failed. */
export type ErrorKind =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'overflow'
  | 'transient'
  | 'bad_request'
  | 'empty'
  | 'loop'
  | 'engine';

/** What happens while an engine works. `agent` is `main`, or a sub-agent such as `tester#2`. */
export type EngineEvent = { readonly agent: string } & (
  | { readonly t: 'step_start'; readonly step: number; readonly model: string }
  /** `arguments`: those of a tool call, as they come. A long one takes a while, and is no silence. */
  | { readonly t: 'text' | 'thinking' | 'arguments'; readonly delta: string }
  | { readonly t: 'tool_start'; readonly id: string; readonly tool: string; readonly args: unknown }
  | {
      readonly t: 'tool_end';
      readonly id: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly ms: number;
      readonly summary: string;
    }
  | { readonly t: 'step_end'; readonly step: number; readonly finish: string }
  | {
      /** One provider request was billed, failed and compaction requests included. */
      readonly t: 'spend';
      readonly role: Role;
      readonly provider: string;
      /** The model that was asked. */
      readonly model: string;
      /** The one that answered, as the endpoint names it; the same where it names none. */
      readonly answered: string;
      readonly spend: Spend;
      /** What the amount was worked out with; null where it was not: reported, or unknown. */
      readonly prices: Prices | null;
      /** The endpoint reported no usage, so the tokens are counted from the text. */
      readonly estimated: boolean;
    }
  | { readonly t: 'steer_delivered'; readonly ids: readonly string[] }
  | { readonly t: 'retry'; readonly kind: ErrorKind; readonly waitMs: number; readonly attempt: number }
  | { readonly t: 'fallback'; readonly from: string; readonly to: string; readonly kind: ErrorKind }
  | { readonly t: 'compacted'; readonly before: number; readonly after: number }
  | { readonly t: 'warn'; readonly text: string }
);

/** A request that is about to be made. Tokens; the input is an estimate. */
export interface PlannedCall {
  readonly role: Role;
  readonly model: ModelRef;
  readonly input: number;
  readonly maxOutput: number;
  /** 1 for a question's first request; a repeated one is no new step. */
  readonly attempt: number;
}

/** What an engine needs of the runner. */
export interface EngineHost {
  readonly tools: readonly ToolDefinition[];
  /**
   * Asked before every model request, repeated ones too; an answer stops the run with it. May take as long as a
   * person needs to raise a budget. Never rejects.
   */
  mayCall(call: PlannedCall): Stop | null | Promise<Stop | null>;
  /** Milliseconds for which other jobs were told to leave this model's provider alone; 0: none. */
  pauseBefore?(model: ModelRef): number;
  /** The provider has asked for a pause of so many milliseconds: other jobs keep it too. */
  pauseAsked?(model: ModelRef, ms: number): void;
  /**
   * Asked after every round of calls: does the worker get anywhere? The host sees what the engine cannot, such as files
   * that do not change. A warning is told to the worker, a stop ends the run (`loop`).
   */
  afterRound?(calls: readonly CallPrint[]): LoopVerdict | Promise<LoopVerdict>;
  /** Synchronous, never throws. */
  emit(event: EngineEvent): void;
}

export interface RunSpec {
  /** Who works: `worker` where absent; a sub-agent has its role, and its name in every event. */
  readonly role?: Role | undefined;
  readonly agent?: string | undefined;
  readonly system: string;
  readonly prompt: string;
  /** [0] is the primary, the rest are fallbacks, in order. */
  readonly models: readonly [ModelRef, ...ModelRef[]];
  /** The transcript: ndjson, owned by the engine, header line {engine, version}. */
  readonly conversation: {
    readonly file: string;
    readonly resume: boolean;
    /** Takes secrets out of what is written; the model is sent what was there. */
    readonly redactor?: Pick<Redactor, 'text' | 'known'> | undefined;
  };
  readonly retry: { readonly attempts: number; readonly capMs: number };
  /** No chunk for so long: the request is given up and made again. */
  readonly idleMs: number;
}

/** How a run ended; `finalText` is the worker's last message. */
export type RunOutcome =
  | { readonly status: 'done'; readonly finalText: string }
  | { readonly status: 'stopped'; readonly stop: Stop }
  | { readonly status: 'aborted' }
  | { readonly status: 'failed'; readonly kind: ErrorKind; readonly message: string };

export interface EngineRun {
  /** Delivered with the next model request; its receipt is the event `steer_delivered`. */
  steer(message: { readonly id: string; readonly text: string }): void;
  /** Stops the request and the tools under way. */
  abort(): void;
  /** Always resolves. */
  readonly done: Promise<RunOutcome>;
}

export interface CompleteSpec {
  readonly role: Role;
  readonly models: readonly [ModelRef, ...ModelRef[]];
  readonly system: string;
  readonly prompt: string;
  readonly maxOutput: number;
  readonly signal: AbortSignal;
}

export type Completion =
  | { readonly status: 'done'; readonly text: string }
  | { readonly status: 'stopped'; readonly stop: Stop }
  | { readonly status: 'failed'; readonly kind: ErrorKind; readonly message: string };

/** A way to work with a model. Its failures are values and events; it never throws. */
export interface Engine {
  readonly id: 'native' | 'claude';
  readonly capabilities: {
    readonly steer: 'tool-boundary' | 'turn';
    readonly resume: boolean;
    readonly compaction: boolean;
    readonly customTools: boolean;
  };
  start(spec: RunSpec, host: EngineHost): EngineRun;
  /** One request without tools: grading, a single question. */
  complete(spec: CompleteSpec, host: Omit<EngineHost, 'tools'>): Promise<Completion>;
}
