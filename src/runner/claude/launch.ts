import type { Launch, LaunchEnd, Launched } from '../../engine/claude/options.ts';
import type { Sandbox, ServiceEnd } from '../../workspace/sandbox/sandbox.ts';
import type { Guard } from '../guard/open.ts';

/** What every program that is launched there sees beside its own, and the guard of its shells; null: it has none. */
export interface LaunchSurroundings {
  readonly readable: readonly string[];
  readonly guard: Pick<Guard, 'env' | 'readable'> | null;
}

/** Starts programs where the worker's hands are, with the guard's git first on the PATH of every shell in them. */
export function launchIn(
  sandbox: Sandbox,
  cwd: string,
  { readable: always, guard }: LaunchSurroundings,
): (launch: Launch) => Promise<Launched> {
  return async ({ argv, env, readable }) => {
    const service = await sandbox.serve({
      argv,
      cwd,
      env: { ...env, ...guard?.env },
      readable: [...readable, ...always, ...(guard?.readable ?? [])],
    });
    return {
      stdin: service.stdin,
      stdout: service.stdout,
      ended: service.ended.then(endOf),
      stop: async () => endOf(await service.stop()),
    };
  };
}

function endOf({ exitCode, signal, stderr, notStarted }: ServiceEnd): LaunchEnd {
  return { exitCode, signal, stderr: Buffer.from(stderr.bytes).toString('utf8'), notStarted };
}
