import type { LanguageModel, streamText } from 'ai';
import type { ModelApi, ModelRef } from '../engine.ts';

type Sdk = typeof import('ai');
type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>;

/** A model of the library, with what its protocol wants said beside the messages. */
export interface Opened {
  readonly model: Exclude<LanguageModel, string>;
  /** For every request, in the library's words. */
  readonly options?: ProviderOptions | undefined;
  /** On a message: the endpoint shall cache what comes up to its end. Nothing is cached by default. */
  readonly cacheMark?: ProviderOptions | undefined;
  /** Where the endpoint wants a number and the user has none. Tokens. */
  readonly maxOutput?: number | undefined;
}

/** A model that can be called, and the library to call it with. */
export interface OpenedModel extends Opened {
  readonly sdk: Sdk;
  /** Tokens; undefined leaves it to the endpoint. */
  readonly maxOutput: number | undefined;
}

/** Each is loaded when a model needs it, and not before: together they are megabytes. */
const OPENERS: Record<ModelApi, (ref: ModelRef) => Promise<Opened>> = {
  'openai-chat': async (ref) => (await import('./open-chat.ts')).openChat(ref),
  'openai-responses': async (ref) => (await import('./open-responses.ts')).openResponses(ref),
  anthropic: async (ref) => (await import('./open-anthropic.ts')).openAnthropic(ref),
  google: async (ref) => (await import('./open-google.ts')).openGoogle(ref),
};

/** Loads the library on first use and makes the model. Reads no key and no setting from the environment. */
export async function openModel(ref: ModelRef): Promise<OpenedModel> {
  const [sdk, opened] = await Promise.all([import('ai'), openOn(ref)]);
  // Its warnings go to the console, which belongs to the runner's log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return { ...opened, sdk, maxOutput: ref.maxOutput ?? opened.maxOutput };
}

async function openOn(ref: ModelRef): Promise<Opened> {
  const { cloud } = ref;
  switch (cloud?.kind) {
    case 'bedrock':
      return (await import('./open-bedrock.ts')).openBedrock(ref, cloud);
    case 'azure':
      return (await import('./open-azure.ts')).openAzure(ref, cloud);
    case 'vertex':
      return (await import('./open-vertex.ts')).openVertex(ref, cloud);
    case undefined:
      return OPENERS[ref.api](ref);
  }
}

/** Where the library insists on a key: anything, so that it looks for none. `modelFetch` takes it out again. */
export const NO_KEY = 'none';

/** For OpenAI Responses, in the library's words: nothing is to be stored there. */
export const STATELESS = { store: false } as const;
