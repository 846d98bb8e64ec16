import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelRef } from '../engine.ts';
import { modelFetch } from '../http/fetch.ts';
import type { Opened } from './models.ts';

/** OpenAI chat completions, as dozens of endpoints speak it. */
export function openChat(ref: ModelRef): Opened {
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL: requestBase(ref.baseUrl, ref.api),
    includeUsage: true,
    fetch: modelFetch(ref, {
      body: ref.provider === 'openai' ? withNewLimit : undefined,
    }),
  });
  return { model: provider.chatModel(ref.model) };
}

/** OpenAI's models that think refuse the older name, which everybody else keeps. */
function withNewLimit({ max_tokens, ...fields }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? fields : { ...fields, max_completion_tokens: max_tokens };
}
