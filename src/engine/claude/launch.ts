import { clientEnvironment, longestOf } from '../../job/client-environment.ts';
import type { RunSpec } from '../engine.ts';
import type { ModelNames } from './agents.ts';
import type { ClaudeOptions, Launch } from './options.ts';
import type { Place } from './place.ts';

/** What is started where the worker's hands are: the program inside, which starts the client. */
export function launchOf(
  options: ClaudeOptions,
  spec: Pick<RunSpec, 'models' | 'retry'>,
  run: { readonly names: ModelNames; readonly token: string; readonly place: Place },
): Launch {
  const { node, inside, folder, socketFolder, client, addDirs } = options;
  const { names, token, place } = run;
  const [{ contextWindow, maxOutput }] = spec.models;
  return {
    argv: [node, inside, 'run', place.run],
    env: clientEnvironment({
      // The program inside lays the true port over it.
      baseUrl: 'http://127.0.0.1:0',
      token,
      configFolder: options.configFolder,
      models: {
        main: names.main.name,
        small: (names.small ?? names.main).name,
        subAgents: names.main.name,
      },
      commandTimeoutMs: options.commandTimeoutMs,
      longestCommandMs: longestOf(options),
      contextWindow,
      maxOutput,
      retries: spec.retry.attempts,
    }),
    readable: [...new Set([folder, socketFolder, client, inside, ...addDirs])],
  };
}
