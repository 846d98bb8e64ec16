import { createOpenAI } from '@ai-sdk/openai';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelRef } from '../engine.ts';
import { modelFetch } from '../http/fetch.ts';
import { NO_KEY, type Opened, STATELESS } from './models.ts';

/**
 * OpenAI Responses, without state on their side: nothing is stored there, each request brings the whole history, and the
 * reasoning comes back to us encrypted, to be sent again (the library asks for it where the model is known to reason).
 */
export function openResponses(ref: ModelRef): Opened {
  const provider = createOpenAI({
    baseURL: requestBase(ref.baseUrl, ref.api),
    apiKey: NO_KEY,
    fetch: modelFetch(ref),
  });
  return { model: provider.responses(ref.model), options: { openai: STATELESS } };
}
