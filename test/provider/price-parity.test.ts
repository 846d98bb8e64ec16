import { calcPrice } from '@pydantic/genai-prices';
import { expect, it } from 'vitest';
import { type Prices, priceUsage } from '../../src/job/cost.ts';
import { shippedCatalogue } from '../../src/provider/catalogue.ts';
import { packagePrices } from '../../src/provider/price-package.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const SHAPES = [
  { input: 7_000, output: 900, cacheRead: 31_000, cacheWrite: 1_100 },
  { input: 90_000, output: 9_000, cacheRead: 600_000, cacheWrite: 20_000 },
];
const PROVIDERS = [
  'anthropic',
  'openai',
  'deepseek',
  'minimax',
  'moonshot',
  'zai',
  'google',
  'xai',
  'groq',
  'mistral',
  'bedrock',
  'azure',
];

/** Where the two lists say something else, and what it is. A new difference is to be looked at, then stands here. */
const DIFFER: Readonly<Record<string, string>> = {
  'anthropic:claude-sonnet-4-5': 'the package still has the prices of the long context that was given up',
  'zai:glm-5.3-flash': 'half as dear in the package',
  'groq:openai/gpt-oss-safeguard-20b': 'twice as dear in the package',
  'mistral:codestral-latest': 'no price of its cache in the package',
  'mistral:mistral-large-latest': 'the package has the model before',
  'mistral:mistral-medium-3.5': 'no price of its cache in the shipped list',
  'mistral:mistral-small-latest': 'the package has the model before',
  'mistral:open-mistral-nemo': 'no price of its cache in the package',
  'mistral:pixtral-12b': 'no price of its cache in the package',
  'azure:o4-mini': 'the cache at 0.275 or 0.28',
};

async function shared() {
  const { models } = await shippedCatalogue();
  const rows: { name: string; shipped: Prices; bundled: Prices }[] = [];
  for (const provider of PROVIDERS) {
    const listed = await packagePrices(provider, NOW);
    const bundled = new Map(listed.map(({ id, prices }) => [id.toLowerCase(), prices]));
    for (const { id, prices, ...model } of models) {
      const other = bundled.get(id.toLowerCase());
      if (model.provider !== provider || prices === null || !other) continue;
      rows.push({ name: `${provider}:${id}`, shipped: prices, bundled: other });
    }
  }
  return rows;
}

it('finds the shipped list and the package of one mind, but for the models that are named', async () => {
  const rows = await shared();
  expect(rows.length).toBeGreaterThan(100);
  const differ = rows.filter(({ shipped, bundled }) =>
    SHAPES.some((shape) => Math.abs(priceUsage(shape, shipped) - priceUsage(shape, bundled)) > 1e-9),
  );
  expect(differ.map(({ name }) => name).sort()).toEqual(Object.keys(DIFFER).sort());
});

it('reads the package as the package reads itself', async () => {
  const names: Record<string, string> = { moonshot: 'moonshotai', xai: 'x-ai', bedrock: 'aws' };
  let compared = 0;
  for (const provider of PROVIDERS) {
    const providerId = names[provider] ?? provider;
    for (const { id, prices } of await packagePrices(provider, NOW)) {
      // Its prices by the hour are on purpose not read as it does.
      if (prices === null || provider === 'deepseek') continue;
      for (const { input, output, cacheRead, cacheWrite } of SHAPES) {
        const usage = {
          input_tokens: input + cacheRead + cacheWrite,
          output_tokens: output,
          cache_read_tokens: cacheRead,
          cache_write_tokens: cacheWrite,
        };
        const theirs = calcPrice(usage, id, { providerId, timestamp: new Date(NOW) });
        // The name of a family, such as `ft:gpt-4o`: it has no price of its own there.
        if (theirs === null) continue;
        const ours = priceUsage({ input, output, cacheRead, cacheWrite }, prices);
        expect(ours, `${provider}:${id}`).toBeCloseTo(theirs.total_price, 9);
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(300);
});
