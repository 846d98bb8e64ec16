import { type Client, findClient } from '../provider/claude-client.ts';
import type { EngineName } from '../provider/engine-name.ts';
import type { Settings } from '../provider/settings.ts';

/**
 * Before anything is created: the client a job of this engine works with; null when it needs none. Throws UserError
 * (exit 6) where it is missing, broken or too old.
 */
export async function requireClient(
  env: NodeJS.ProcessEnv,
  job: {
    readonly engine: EngineName;
    readonly settings: Pick<Settings, 'claude'>;
    readonly repository: string | null;
  },
): Promise<Client | null> {
  return job.engine === 'native' ? null : findClient(env, job.settings.claude.path, job.repository);
}
