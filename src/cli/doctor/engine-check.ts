import { UserError } from '../../job/user-error.ts';
import { findClient } from '../../provider/claude-client.ts';
import { effectiveConfig } from '../../provider/effective-config.ts';
import { endpointOf } from '../../provider/endpoint.ts';
import { modelOf } from '../../provider/profile.ts';
import type { Settings } from '../../provider/settings.ts';
import { repositoryAround } from '../repository-around.ts';
import type { VerbContext } from '../verb.ts';
import { type Check, check } from './finding.ts';

/**
 * The client of the claude engine, as a job of it would find it, and the profiles whose endpoint it cannot use; nothing
 * where no setting asks for that engine.
 */
export async function engineChecks(context: VerbContext): Promise<Check[]> {
  const settings = readable(context);
  if (settings === null || !asksForClaude(settings)) return [];
  return [
    await check('claude engine', () => clientOf(context, settings)),
    ...(await endpointChecks(settings)).filter(({ ok }) => !ok),
  ];
}

function endpointChecks({ profiles }: Settings): Promise<Check[]> {
  const own = Object.entries(profiles).filter(([, { engine }]) => engine === 'claude');
  return Promise.all(
    own.map(([name, profile]) => {
      const reference = { provider: profile.provider, model: modelOf(profile), profile: name };
      return check(`engine of ${name}`, () => endpointOf(reference, profile, 'claude').baseUrl);
    }),
  );
}

async function clientOf({ env, cwd }: VerbContext, settings: Settings): Promise<string> {
  const repository = await repositoryAround(cwd);
  const { path, version } = await findClient(env, settings.claude.path, repository?.checkout ?? null);
  return `Claude Code ${version} (${path})`;
}

function asksForClaude({ claude, profiles }: Settings): boolean {
  return claude.path !== null || Object.values(profiles).some(({ engine }) => engine === 'claude');
}

function readable({ env }: VerbContext): Settings | null {
  try {
    return effectiveConfig({ env, projectRoot: null }).settings;
  } catch (error) {
    // What is wrong with the settings the check of the default model says.
    if (error instanceof UserError) return null;
    throw error;
  }
}
