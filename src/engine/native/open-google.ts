import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelRef } from '../engine.ts';
import { modelFetch } from '../http/fetch.ts';
import { NO_KEY, type Opened } from './models.ts';

/** Gemini's own protocol. The signatures of its thoughts come and go with the parts they are on. */
export function openGoogle(ref: ModelRef): Opened {
  const provider = createGoogleGenerativeAI({
    baseURL: requestBase(ref.baseUrl, ref.api),
    apiKey: NO_KEY,
    fetch: modelFetch(ref),
  });
  return { model: provider(ref.model) };
}
