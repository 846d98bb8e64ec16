import type {
  CompleteSpec,
  Completion,
  Engine,
  EngineHost,
  EngineRun,
  RunOutcome,
  RunSpec,
} from '../engine.ts';
import { type Clock, SYSTEM_CLOCK } from '../http/retry.ts';
import { Conversation } from './conversation.ts';
import { Loop, type SteerMessage } from './loop.ts';
import { Requester } from './request.ts';

/** What a single question may take; a run brings its own. */
const COMPLETE_LIMITS = { retry: { attempts: 3, capMs: 60_000 }, idleMs: 300_000 };
/** A tool that does not heed the abort is left behind after so long. */
const ABORT_GRACE_MS = 5_000;

/** Our own agent loop. The model library is loaded with the first request. */
export const nativeEngine: Engine = createNativeEngine();

/** The engine with another clock; for tests. */
export function createNativeEngine(clock: Clock = SYSTEM_CLOCK): Engine {
  return {
    id: 'native',
    capabilities: { steer: 'tool-boundary', resume: true, compaction: true, customTools: true },
    start: (spec, host) => startRun(spec, host, clock),
    complete: (spec, host) => complete(spec, host, clock),
  };
}

function startRun(spec: RunSpec, host: EngineHost, clock: Clock): EngineRun {
  const controller = new AbortController();
  const { signal } = controller;
  const steers: SteerMessage[] = [];
  const work = run(spec, host, clock, signal, steers).catch((error: unknown): RunOutcome => {
    if (signal.aborted) return { status: 'aborted' };
    return { status: 'failed', kind: 'engine', message: messageOf(error) };
  });
  return {
    steer: (message) => void steers.push(message),
    abort: () => controller.abort(),
    done: Promise.race([work, abandoned(signal, work)]),
  };
}

async function run(
  spec: RunSpec,
  host: EngineHost,
  clock: Clock,
  signal: AbortSignal,
  steers: SteerMessage[],
): Promise<RunOutcome> {
  const { models, retry, idleMs, agent = 'main' } = spec;
  const { conversation, problems } = Conversation.open(spec.conversation);
  for (const text of problems) host.emit({ agent, t: 'warn', text });
  conversation.append({ role: 'user', content: spec.prompt });
  const requester = new Requester({
    models,
    retry,
    idleMs,
    signal,
    clock,
    agent,
    host,
  });
  return new Loop({ spec, host, conversation, requester, signal, steers }).run();
}

/** Resolves some time after an abort, if the work has not ended by then. */
function abandoned(signal: AbortSignal, work: Promise<unknown>): Promise<RunOutcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      const timer = setTimeout(() => resolve({ status: 'aborted' }), ABORT_GRACE_MS);
      void work.finally(() => clearTimeout(timer));
    });
  });
}

async function complete(
  spec: CompleteSpec,
  host: Omit<EngineHost, 'tools'>,
  clock: Clock,
): Promise<Completion> {
  const { role, models, system, prompt, maxOutput, signal } = spec;
  const requester = new Requester({
    ...COMPLETE_LIMITS,
    models,
    signal,
    clock,
    agent: 'main',
    host,
  });
  const messages = [{ role: 'user' as const, content: prompt }];
  try {
    for (;;) {
      const reply = await requester.ask({ role, system, messages, tools: [], maxOutput }, { silent: true });
      switch (reply.kind) {
        case 'answer':
          return completionOf(reply.answer.finish, reply.answer.text);
        case 'stop':
          return { status: 'stopped', stop: reply.stop };
        case 'failed':
          return { status: 'failed', kind: reply.error, message: reply.message };
        case 'overflow':
          if (requester.fallBack('overflow')) continue;
          return { status: 'failed', kind: 'overflow', message: reply.error.message };
        default:
          return { status: 'failed', kind: 'engine', message: 'aborted' };
      }
    }
  } catch (error) {
    return { status: 'failed', kind: 'engine', message: messageOf(error) };
  }
}

function completionOf(finish: string, text: string): Completion {
  if (finish === 'content-filter') {
    return { status: 'failed', kind: 'engine', message: 'the provider refused to answer (content filter)' };
  }
  if (text.trim() === '')
    return { status: 'failed', kind: 'empty', message: `an empty response (${finish})` };
  return { status: 'done', text };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
