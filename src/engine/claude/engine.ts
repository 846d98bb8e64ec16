import type { Engine, EngineHost, EngineRun, RunOutcome, RunSpec } from '../engine.ts';
import { type Clock, SYSTEM_CLOCK } from '../http/retry.ts';
import type { ClaudeOptions } from './options.ts';
import { Rounds } from './rounds.ts';
import { ClaudeRun } from './run.ts';
import { Steering } from './steering.ts';

/**
 * Headless Claude Code, pointed at any Anthropic-compatible endpoint through a gateway of the runner's own. Each run
 * is one process of the client, started by `options.launch`. Single questions are the native engine's.
 */
export function createClaudeEngine(
  options: ClaudeOptions,
  native: Pick<Engine, 'complete'>,
  clock: Clock = SYSTEM_CLOCK,
): Engine {
  return {
    id: 'claude',
    capabilities: { steer: 'tool-boundary', resume: true, compaction: true, customTools: false },
    start: (spec, host) => startRun(spec, host, options, clock),
    complete: (spec, host) => native.complete(spec, host),
  };
}

function startRun(spec: RunSpec, host: EngineHost, options: ClaudeOptions, clock: Clock): EngineRun {
  const controller = new AbortController();
  const { signal } = controller;
  const rounds = new Rounds(host);
  const steering = new Steering((id) => {
    rounds.forget();
    host.emit({ agent: spec.agent ?? 'main', t: 'steer_delivered', ids: [id] });
  });
  const run = new ClaudeRun({ spec, host, options, signal, steering, rounds, clock });
  return {
    steer: ({ id, text }) => steering.send(text, id),
    abort: () => controller.abort(),
    done: run.run().catch((error: unknown): RunOutcome => {
      if (signal.aborted) return { status: 'aborted' };
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return { status: 'failed', kind: 'engine', message };
    }),
  };
}
