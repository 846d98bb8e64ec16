import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StoredCatalogue, StoredModel } from '../src/provider/catalogue.ts';

/**
 * Makes `src/provider/catalogue-snapshot.json` at release time, of the public list in the package @earendil-works/pi-ai
 * (MIT; chat models that take tools). The package is big and only needed here, so it is no dependency:
 *
 *     npm install --prefix /somewhere --ignore-scripts @earendil-works/pi-ai@1.6.0
 *     npx tsx scripts/catalogue.ts /somewhere/node_modules/@earendil-works/pi-ai 2026-11-20
 *     npx biome format --write src/provider
 *
 * The date is the one the package was published at: so old its prices are.
 */

const PACKAGE = '@earendil-works/pi-ai';
const TARGET = fileURLToPath(new URL('../src/provider/catalogue-snapshot.json', import.meta.url));

/** Our name of a provider, and that of the package. */
const PROVIDERS = {
  openrouter: 'openrouter',
  anthropic: 'anthropic',
  openai: 'openai',
  deepseek: 'deepseek',
  minimax: 'minimax',
  moonshot: 'moonshotai',
  zai: 'zai',
  google: 'google',
  xai: 'xai',
  groq: 'groq',
  mistral: 'mistral',
  copilot: 'github-copilot',
  chatgpt: 'openai-codex',
  bedrock: 'amazon-bedrock',
  azure: 'azure',
  vertex: 'google-vertex',
} as const;

/** What the package has for them is what the same models cost elsewhere. */
const SUBSCRIPTIONS: readonly string[] = ['copilot', 'chatgpt'];

interface ListedPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface ListedModel {
  readonly id: string;
  readonly type?: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly cost: ListedPrices & {
    readonly tiers?: readonly (ListedPrices & { readonly inputTokensAbove: number })[];
  };
}

async function main(folder: string, published: string): Promise<void> {
  const list = (await import(pathToFileURL(join(folder, 'dist', 'compat.js')).href)) as {
    readonly PI_AI_VERSION: string;
    getModels(provider: string): readonly ListedModel[];
  };
  const models = Object.entries(PROVIDERS).flatMap(([provider, name]) =>
    list
      .getModels(name)
      // Names that stand for whatever is newest (`~vendor/x-latest`) have no price of their own; a batch has no answers.
      .filter(({ id, type }) => (type ?? 'chat') === 'chat' && !id.startsWith('~') && !id.endsWith(':batch'))
      .map((model) => stored(provider, model)),
  );
  const snapshot: StoredCatalogue & { source: string } = {
    schema: 1,
    source: `${PACKAGE}@${list.PI_AI_VERSION}`,
    at: new Date(published).toISOString(),
    models,
  };
  writeFileSync(TARGET, `${JSON.stringify(snapshot)}\n`);
  process.stdout.write(`${models.length} models of ${snapshot.source}\n`);
}

/** The list has 0 where nothing is known; free are only the models whose name says so. */
function stored(provider: string, { id, contextWindow, maxTokens, cost }: ListedModel): StoredModel {
  const isFree = id.endsWith(':free');
  const isKnown = (isFree || cost.input > 0 || cost.output > 0) && !SUBSCRIPTIONS.includes(provider);
  const tiers = [...(cost.tiers ?? [])]
    .sort((a, b) => a.inputTokensAbove - b.inputTokensAbove)
    .map((tier) => ({ above: tier.inputTokensAbove, ...prices(tier) }));
  return {
    provider,
    id,
    context: contextWindow > 0 ? contextWindow : null,
    maxOutput: maxTokens > 0 ? maxTokens : null,
    prices: isKnown ? { ...prices(cost), ...(tiers.length > 0 && { tiers }) } : null,
  };
}

function prices({ input, output, cacheRead, cacheWrite }: ListedPrices) {
  return {
    input,
    output,
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
  };
}

const [folder, published] = process.argv.slice(2);
if (folder === undefined || published === undefined)
  throw new Error('which folder, published when? See above.');
await main(resolve(folder), published);
