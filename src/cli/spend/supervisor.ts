import { UserError } from '../../job/user-error.ts';
import { effectiveConfig } from '../../provider/effective-config.ts';
import { type FoundPrices, pricesFor } from '../../provider/prices.ts';

/** The model the user's sessions are assumed to run on, and its price. */
export interface Supervisor {
  /** `provider:model`. */
  readonly model: string;
  /** Did the user say so? */
  readonly isSet: boolean;
  /** null: its price is in none of the lists that came with the program. */
  readonly found: FoundPrices | null;
}

const DEFAULT_SUPERVISOR = 'anthropic:claude-opus-5-5';

/** Reads the setting and the lists that are shipped, so that the same record gives the same sum everywhere. */
export async function supervisorPrice(env: NodeJS.ProcessEnv): Promise<Supervisor> {
  const set = supervisorModel(env);
  const text = set ?? DEFAULT_SUPERVISOR;
  const [, provider = 'anthropic', model = text] = /^([a-z0-9-]+):(.+)$/.exec(text) ?? [];
  const found = await pricesFor({ provider, model, env: null });
  return { model: `${provider}:${model}`, isSet: set !== null, found };
}

function supervisorModel(env: NodeJS.ProcessEnv): string | null {
  try {
    return effectiveConfig({ env, projectRoot: null }).settings.supervisorModel;
  } catch (error) {
    // What was spent can be told all the same; `config show` says what is wrong with the file.
    if (error instanceof UserError) return null;
    throw error;
  }
}
