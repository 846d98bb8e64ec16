import type { ReadyModel } from '../../../src/provider/resolve-model.ts';

/** A model of OpenRouter at these prices; without `priced` they are the user's own. */
export function ready(prices: ReadyModel['endpoint']['prices'], priced?: ReadyModel['priced']): ReadyModel {
  return {
    endpoint: {
      provider: 'openrouter',
      model: 'x/y',
      api: 'openai-chat',
      baseUrl: 'http://127.0.0.1:1/v1',
      headers: {},
      prices,
      contextWindow: null,
      maxOutput: null,
    },
    key: null,
    keySource: { kind: 'none' },
    priced,
  };
}
