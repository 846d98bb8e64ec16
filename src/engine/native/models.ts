import type { LanguageModel } from 'ai';
import { requestBase } from '../../provider/base-url.ts';
import type { ModelApi, ModelRef } from '../engine.ts';
import { streamingFetch } from './fetch.ts';

type Sdk = typeof import('ai');
type ModelObject = Exclude<LanguageModel, string>;

/** A model that can be called, and the library to call it with. */
export interface OpenedModel {
  readonly sdk: Sdk;
  readonly model: ModelObject;
  /** Tokens; undefined leaves it to the endpoint. */
  readonly maxOutput: number | undefined;
}

/** Anthropic's protocol wants a number; what the library assumes for models it does not know cuts files in half. */
const ANTHROPIC_MAX_OUTPUT = 16_384;

const OPENERS: Record<ModelApi, ((ref: ModelRef) => Promise<ModelObject>) | null> = {
  'openai-chat': openChat,
  anthropic: openAnthropic,
  'openai-responses': null,
  google: null,
};

/** Loads the library on first use and makes the model. null when its protocol is not available. */
export async function openModel(ref: ModelRef): Promise<OpenedModel | null> {
  const open = OPENERS[ref.api];
  if (open === null) return null;
  const [sdk, model] = await Promise.all([import('ai'), open(ref)]);
  // Its warnings go to the console, which belongs to the runner's log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const maxOutput = ref.maxOutput ?? (ref.api === 'anthropic' ? ANTHROPIC_MAX_OUTPUT : undefined);
  return { sdk, model, maxOutput };
}

async function openChat(ref: ModelRef): Promise<ModelObject> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL: requestBase(ref.baseUrl, ref.api),
    ...(ref.apiKey !== null && { apiKey: ref.apiKey }),
    headers: { ...ref.headers },
    includeUsage: true,
    fetch: streamingFetch({ dropHeaders: [] }),
  });
  return provider.chatModel(ref.model);
}

async function openAnthropic(ref: ModelRef): Promise<ModelObject> {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const provider = createAnthropic({
    baseURL: requestBase(ref.baseUrl, ref.api),
    // Without a key the library would take one from the environment: give it an empty one, and drop that.
    apiKey: ref.apiKey ?? '',
    headers: { ...ref.headers },
    fetch: streamingFetch({ dropHeaders: ref.apiKey === null && !hasKeyHeader(ref) ? ['x-api-key'] : [] }),
  });
  return provider(ref.model);
}

function hasKeyHeader(ref: ModelRef): boolean {
  return Object.keys(ref.headers).some((name) => name.toLowerCase() === 'x-api-key');
}
