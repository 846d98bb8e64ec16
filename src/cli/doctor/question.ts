import { keyHeader } from '../../provider/key-header.ts';
import type { ReadyModel } from '../../provider/resolve-model.ts';

/** One tiny request, as it is sent. */
export interface Question {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const WORDS = 'Say: ok';
/** The least that the protocols allow. */
const LIMIT = 16;

/** The smallest question to a model; null for clouds that are asked by a signed request, which a job alone makes. */
export function questionFor({ endpoint, key }: ReadyModel): Question | null {
  const { api, baseUrl, model, provider, cloud } = endpoint;
  const isDated = cloud?.kind === 'azure' && cloud.apiVersion !== null;
  const isSigned = cloud?.kind === 'bedrock' || (cloud?.kind === 'vertex' && cloud.account !== null);
  if (isDated || isSigned) return null;
  const own = key === null ? [] : [keyHeader(endpoint, key)];
  const given = Object.entries(endpoint.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers: Record<string, string> = Object.fromEntries([...own, ...given]);
  const chat = { model, messages: [{ role: 'user', content: WORDS }] };
  switch (api) {
    case 'openai-chat': {
      const limit = provider === 'openai' ? 'max_completion_tokens' : 'max_tokens';
      return { url: `${baseUrl}/chat/completions`, headers, body: { ...chat, [limit]: LIMIT } };
    }
    case 'openai-responses': {
      const body = { model, input: WORDS, max_output_tokens: LIMIT, store: false };
      return { url: `${baseUrl}/responses`, headers, body };
    }
    case 'anthropic': {
      const version = { 'anthropic-version': '2023-06-01' };
      return {
        url: `${baseUrl}/messages`,
        headers: { ...version, ...headers },
        body: { ...chat, max_tokens: LIMIT },
      };
    }
    case 'google': {
      const contents = [{ role: 'user', parts: [{ text: WORDS }] }];
      const body = { contents, generationConfig: { maxOutputTokens: LIMIT } };
      return { url: `${baseUrl}/models/${model}:generateContent`, headers, body };
    }
  }
}
