import type { PathEnvironment } from '../store/paths.ts';
import type { Endpoint } from './endpoint.ts';
import { hearOnce, LISTED_PROVIDER } from './live-catalogue.ts';
import { type KnownModel, knownModel } from './prices.ts';
import type { ModelResolution, ReadyModel } from './resolve-model.ts';

/**
 * The same models with what is known of each: prices, where the user has set none; the context's size, and the length
 * of an answer, where the profile leaves them open. May ask OpenRouter for its public list, the first time.
 */
export async function withKnownPrices(
  resolution: ModelResolution,
  env: PathEnvironment,
): Promise<ModelResolution> {
  const { primary, fallbacks, grader, graderFallbacks, roles, small } = resolution;
  const all = [primary, ...fallbacks, grader, ...graderFallbacks, ...Object.values(roles), small].filter(
    (model) => model !== null,
  );
  const asked = all.find(({ endpoint }) => endpoint.provider === LISTED_PROVIDER && endpoint.prices === null);
  if (asked !== undefined) {
    const { provider, baseUrl } = asked.endpoint;
    await hearOnce({ provider, baseUrl, env }, Date.now());
  }
  const fill = async (model: ReadyModel) =>
    isTold(model.endpoint) ? model : withKnown(model, await known(model, env));
  const fillSide = async (model: ReadyModel | null) => (model === null ? null : fill(model));
  return {
    ...resolution,
    primary: await fill(primary),
    fallbacks: await Promise.all(fallbacks.map(fill)),
    grader: await fillSide(grader),
    graderFallbacks: await Promise.all(graderFallbacks.map(fill)),
    roles: Object.fromEntries(
      await Promise.all(
        Object.entries(roles).map(async ([role, model]) => [role, await fill(model)] as const),
      ),
    ),
    small: await fillSide(small),
  };
}

/** Does the user say all there is to say? Then the lists, which are long, are not read. */
function isTold({ prices, contextWindow, maxOutput, api }: Endpoint): boolean {
  return prices !== null && contextWindow !== null && (maxOutput !== null || api !== 'anthropic');
}

function known({ endpoint }: ReadyModel, env: PathEnvironment): Promise<KnownModel> {
  const { provider, model, baseUrl } = endpoint;
  return knownModel({ provider, model, env, baseUrl });
}

function withKnown(model: ReadyModel, { found, context, maxOutput }: KnownModel): ReadyModel {
  const { endpoint } = model;
  const sizes = {
    contextWindow:
      endpoint.contextWindow ?? (context === null ? null : Math.min(context, COMFORTABLE_CONTEXT)),
    maxOutput: endpoint.maxOutput ?? answerLimit(endpoint, context, maxOutput),
  };
  if (endpoint.prices !== null || found === null) return { ...model, endpoint: { ...endpoint, ...sizes } };
  const { prices, source, at } = found;
  const priceBasis = source === 'subscription' ? 'subscription' : 'table';
  return { ...model, priced: { source, at }, endpoint: { ...endpoint, ...sizes, prices, priceBasis } };
}

/**
 * A history is shortened when it fills the context. With a million tokens every step would cost what a whole job may, and
 * models answer worse long before. A profile's own `contextWindow` is taken as it is.
 */
const COMFORTABLE_CONTEXT = 200_000;

/** As much as a long file takes. Routers hold back the money for the longest answer there could be. */
const LONG_ANSWER = 32_768;

/**
 * Only where the protocol must be told a limit. Some lists name the whole context as the longest answer: then no prompt
 * would fit beside it.
 */
function answerLimit({ api }: Endpoint, context: number | null, listed: number | null): number | null {
  if (api !== 'anthropic' || listed === null) return null;
  return Math.min(listed, LONG_ANSWER, context === null ? LONG_ANSWER : Math.floor(context / 4));
}
