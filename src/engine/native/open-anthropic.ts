import { createAnthropic } from '@ai-sdk/anthropic';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelRef } from '../engine.ts';
import { modelFetch } from '../http/fetch.ts';
import { NO_KEY, type Opened } from './models.ts';

/** The protocol wants a number; what the library assumes for models it does not know cuts files in half. */
const MAX_OUTPUT = 16_384;

/** Anthropic Messages, with prompt caching asked for. */
export function openAnthropic(ref: ModelRef): Opened {
  const provider = createAnthropic({
    baseURL: requestBase(ref.baseUrl, ref.api),
    apiKey: NO_KEY,
    fetch: modelFetch(ref),
  });
  return {
    model: provider(ref.model),
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    maxOutput: MAX_OUTPUT,
  };
}
