import { join } from 'node:path';
import { clientEnvironment, longestOf } from '../../job/client-environment.ts';
import { WORKER_RETRY } from '../../job/limits.ts';
import { variableSecrets } from '../../job/redaction/known.ts';
import { createRedactor } from '../../job/redaction/redactor.ts';
import { settingsSecrets } from '../../provider/known-secrets.ts';
import type { Settings } from '../../provider/settings.ts';
import { stateDirectory } from '../../store/paths.ts';
import { workerEnvironment } from '../../workspace/sandbox/environment.ts';
import { findToolchains } from '../../workspace/sandbox/toolchains.ts';
import { passedVariables } from '../plan-terms.ts';
import type { VerbContext } from '../verb.ts';

/** One variable of a worker's commands. What the user passes on is masked, whatever it is. */
export interface WorkerVariable {
  readonly name: string;
  readonly value: string;
  readonly from: 'passed' | 'yours' | 'ours';
}

/** What a command of a worker started now would find in its environment, by name; secrets masked. */
export function workerVariables(context: VerbContext, settings: Settings): WorkerVariable[] {
  const { env } = context;
  const passEnv = passedVariables(env, settings.env.pass);
  const folder = join(stateDirectory(env), '<repository>', '<job>');
  const found = workerEnvironment({
    caller: env,
    toolchains: findToolchains(env),
    passEnv,
    jobId: '<job>',
    workspace: join(folder, 'work'),
    home: join(folder, 'home'),
    temp: join(folder, 'tmp'),
  });
  const values = [...settingsSecrets(env, () => undefined), ...variableSecrets(passEnv)];
  const redactor = createRedactor({ values });
  return Object.entries(found)
    .map(([name, value]): WorkerVariable => {
      if (Object.hasOwn(passEnv, name) && passEnv[name] === value)
        return { name, value: '…', from: 'passed' };
      return { name, value: redactor.text(value), from: env[name] === value ? 'yours' : 'ours' };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * What the client of the claude engine would find beside that, by name; what is known only when it starts as `<…>`, and
 * its token masked.
 */
export function clientVariables({ env }: VerbContext, { limits }: Settings): WorkerVariable[] {
  const main = '<model>';
  const found = clientEnvironment({
    baseUrl: 'http://127.0.0.1:<port>',
    token: '…',
    configFolder: join(stateDirectory(env), '<repository>', '<job>', 'home', '.claude'),
    models: { main, small: '<small model>', subAgents: main },
    commandTimeoutMs: limits.commandTimeout * 1000,
    longestCommandMs: longestOf({
      longestCommandMs: limits.timeout * 1000,
      askTimeoutMs: limits.askTimeout * 1000,
    }),
    contextWindow: null,
    maxOutput: null,
    retries: WORKER_RETRY.attempts,
  });
  return Object.entries(found)
    .map(([name, value]): WorkerVariable => ({ name, value, from: 'ours' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
