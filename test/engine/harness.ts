import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type {
  Engine,
  EngineEvent,
  EngineHost,
  EngineRun,
  ModelApi,
  ModelRef,
  RunOutcome,
  RunSpec,
  ToolDefinition,
} from '../../src/engine/engine.ts';
import type { Clock } from '../../src/engine/http/retry.ts';
import { type Script, type ScriptedModel, startScriptedModel } from '../../src/engine/scripted/server.ts';
import { addSpend, NO_SPEND } from '../../src/job/cost.ts';
import { makeFolder } from '../helpers/repository.ts';

export type TestApi = ModelApi;

/** A clock whose waits are over at once, and are noted. */
export function fastClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: Date.now,
    random: () => 0,
    sleep(ms, signal) {
      waits.push(ms);
      return Promise.resolve(!signal.aborted);
    },
  };
}

/** A scripted model that is closed when the test ends. */
export async function scripted(script: Script): Promise<ScriptedModel> {
  const model = await startScriptedModel({ script });
  onTestFinished(() => model.close());
  return model;
}

export function modelRef(model: ScriptedModel, api: TestApi, fields: Partial<ModelRef> = {}): ModelRef {
  return {
    provider: 'test',
    model: 'scripted',
    api,
    baseUrl: { anthropic: model.anthropicUrl, google: model.googleUrl }[String(api)] ?? model.url,
    apiKey: 'sk-test-key',
    headers: {},
    prices: null,
    contextWindow: null,
    maxOutput: null,
    ...fields,
  };
}

/** Tools that note what they did: `write` and `bash` one at a time, `read` at any time. */
export function testTools(log: string[] = []): ToolDefinition[] {
  const tool = <T>(name: string, input: z.ZodType<T>, readOnly: boolean, act: (args: T) => string) => ({
    name,
    description: `${name} for a test`,
    input,
    readOnly,
    run: async (args: unknown) => {
      const text = act(input.parse(args));
      log.push(text);
      return { ok: true, text, summary: text };
    },
  });
  return [
    tool(
      'write',
      z.strictObject({ path: z.string(), content: z.string() }),
      false,
      ({ path }) => `wrote ${path}`,
    ),
    tool('read', z.strictObject({ path: z.string() }), true, ({ path }) => `content of ${path}`),
    tool('big', z.strictObject({ n: z.number() }), true, ({ n }) => `${n} ${'x'.repeat(30_000)}`),
  ];
}

/** A host that allows everything and hears nothing. */
export const QUIET: Omit<EngineHost, 'tools'> = { mayCall: () => null, emit: () => undefined };

export interface Setup {
  readonly engine: Engine;
  readonly models: readonly [ModelRef, ...ModelRef[]];
  readonly tools?: readonly ToolDefinition[];
  readonly spec?: Partial<RunSpec>;
  readonly mayCall?: EngineHost['mayCall'];
  /** What else the host does. */
  readonly host?: Partial<EngineHost>;
  readonly onEvent?: (event: EngineEvent, run: EngineRun) => void;
}

/** Starts a run; `events` grows while it goes on. */
export function begin(setup: Setup): { run: EngineRun; events: EngineEvent[]; file: string; log: string[] } {
  const events: EngineEvent[] = [];
  const log: string[] = [];
  const file = setup.spec?.conversation?.file ?? join(makeFolder(), 'transcript.ndjson');
  const run: EngineRun = setup.engine.start(
    {
      system: 'You are a test.',
      prompt: 'Do the task.',
      models: setup.models,
      conversation: { file, resume: false },
      retry: { attempts: 3, capMs: 60_000 },
      idleMs: 10_000,
      ...setup.spec,
    },
    {
      tools: setup.tools ?? testTools(log),
      mayCall: setup.mayCall ?? (() => null),
      ...setup.host,
      emit: (event) => {
        events.push(event);
        setup.onEvent?.(event, run);
      },
    },
  );
  return { run, events, file, log };
}

export interface Finished {
  readonly outcome: RunOutcome;
  readonly events: readonly EngineEvent[];
  readonly file: string;
  /** What the tools of `testTools` did. */
  readonly log: readonly string[];
}

export async function finish(setup: Setup): Promise<Finished> {
  const { run, events, file, log } = begin(setup);
  return { outcome: await run.done, events, file, log };
}

export function eventsOf<T extends EngineEvent['t']>(
  events: readonly EngineEvent[],
  t: T,
): Extract<EngineEvent, { t: T }>[] {
  return events.filter((event): event is Extract<EngineEvent, { t: T }> => event.t === t);
}

/** All that was spent. */
export function spent(events: readonly EngineEvent[]) {
  return eventsOf(events, 'spend').reduce((sum, { spend }) => addSpend(sum, spend), NO_SPEND);
}
