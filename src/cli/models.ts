import { EXIT } from '../job/user-error.ts';
import { isAllowed } from '../provider/allowed-models.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { modelOf } from '../provider/profile.ts';
import type { Settings } from '../provider/settings.ts';
import type { Output } from './command.ts';
import { clientVariables, workerVariables } from './models/environment.ts';
import { matching, modelRows, type ProfileModel } from './models/row.ts';
import { readSources } from './models/sources.ts';
import { number, parseVerb } from './parse.ts';
import { renderEnvironment, renderModels } from './render/models.ts';
import type { Verb, VerbContext } from './verb.ts';

const SHOWN = 20;

export const verb: Verb = {
  help: `cc-delegate models [FILTER] [--limit N] [--refresh]
cc-delegate models --env

Models that can use tools, with price and context; what may be used, and what is
left to spend. FILTER: words that are all in the name. OpenRouter's list is
asked for once a day where you use it; without a network an older one is shown,
and said to be so. Jobs are charged at these prices, unless the provider itself
says what a call cost, or a profile has prices of its own.

  --limit N   how many (20)
  --refresh   ask for the list now
  --env       instead: the environment that a worker's commands and the claude
              engine's client get, secrets masked`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, {
      limit: { type: 'string' },
      refresh: { type: 'boolean' },
      env: { type: 'boolean' },
    });
    const { settings } = effectiveConfig({ env: context.env, projectRoot: null });
    if (values.env === true) return environment(context, settings);
    const limit = number('limit', values.limit, { least: 1, whole: true }) ?? SHOWN;
    const filter = positionals.join(' ');
    const sources = await readSources(context, settings, values.refresh === true);
    const all = modelRows({
      models: sources.catalogues.flatMap(({ models }) => models),
      profiles: profileModels(settings),
      defaultName: sources.defaultName,
      isAllowed: (name) => isAllowed(settings.allowedModels, name),
      hasKey: (provider) => sources.usable.has(provider),
      known: sources.known,
    });
    const found = matching(all, filter);
    const rows = found.slice(0, limit);
    const json = {
      models: rows,
      total: found.length,
      sources: sources.catalogues.map(({ models, ...source }) => ({ ...source, models: models.length })),
      policy: { mode: settings.mode, allowedModels: settings.allowedModels, budget: settings.budget },
      defaultModel: sources.defaultName,
      balance: sources.balance,
    };
    const text = renderModels({ rows, total: found.length, filter, sources, settings });
    return { json, text, exit: EXIT.done };
  },
};

function environment(context: VerbContext, settings: Settings): Output {
  const worker = workerVariables(context, settings);
  const client = clientVariables(context, settings);
  const json = { environment: worker, clientEnvironment: client };
  return { json, text: renderEnvironment(worker, client), exit: EXIT.done };
}

function profileModels(settings: Settings): ProfileModel[] {
  return Object.entries(settings.profiles).map(([profile, each]) => {
    const { input, output, ...cache } = each.prices ?? {};
    const prices = input === undefined || output === undefined ? null : { input, output, ...cache };
    const contextWindow = each.contextWindow ?? null;
    return { profile, provider: each.provider, model: modelOf(each), prices, contextWindow };
  });
}
