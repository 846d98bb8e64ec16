import { EXIT, UserError } from '../job/user-error.ts';

/** The wire protocol of an endpoint; the same words as the engine's `ModelApi`, which this folder may not import. */
export const PROVIDER_APIS = ['openai-chat', 'openai-responses', 'anthropic', 'google'] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** One way to reach models. An entry is data: a new provider is a new row below. */
export interface Provider {
  readonly id: string;
  /** Base URL of each protocol it speaks; the first is used unless a profile says otherwise. null: the profile brings it. */
  readonly endpoints: readonly { readonly api: ProviderApi; readonly baseUrl: string | null }[];
  /** `always`: a hosted service. `never`: runs on this machine. `depends`: decided by the profile's own URL. */
  readonly needsKey: 'always' | 'never' | 'depends';
  /** The environment variable that holds this provider's key, and nobody else's. */
  readonly keyEnv: string | null;
  /** Where a person gets a key. */
  readonly keyUrl: string | null;
  /** Where a person sees what was used and paid. */
  readonly activityUrl: string | null;
  readonly defaultModel: string | null;
  /** The cheap one for side jobs; null: the default does them too. */
  readonly smallModel: string | null;
  /** `metered`: paid by use. `subscription`: no call has a price of its own. `free`: nobody charges. */
  readonly billing: 'metered' | 'subscription' | 'free';
  /** The prefixes older `litellm:<prefix>/<model>` strings use for it. */
  readonly litellmPrefixes: readonly string[];
}

/**
 * The providers known by name. Base URLs and variable names are the ones each provider documents for
 * international use (checked November 2026); an Anthropic base URL ends in the version, as the others do.
 */
export const PROVIDERS: readonly Provider[] = [
  {
    ...hosted('openrouter', 'OPENROUTER_API_KEY', 'https://openrouter.ai/settings/keys'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://openrouter.ai/api/v1' },
      { api: 'anthropic', baseUrl: 'https://openrouter.ai/api/v1' },
    ],
    defaultModel: 'deepseek/deepseek-v4-flash-0731',
  },
  {
    ...hosted('anthropic', 'ANTHROPIC_API_KEY', 'https://console.anthropic.com/settings/keys'),
    endpoints: [{ api: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' }],
  },
  {
    ...hosted('openai', 'OPENAI_API_KEY', 'https://platform.openai.com/api-keys'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.openai.com/v1' },
      { api: 'openai-responses', baseUrl: 'https://api.openai.com/v1' },
    ],
  },
  {
    ...hosted('deepseek', 'DEEPSEEK_API_KEY', 'https://platform.deepseek.com/api_keys'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.deepseek.com/v1' },
      { api: 'anthropic', baseUrl: 'https://api.deepseek.com/anthropic/v1' },
    ],
  },
  {
    ...hosted(
      'minimax',
      'MINIMAX_API_KEY',
      'https://platform.minimax.io/user-center/basic-information/interface-key',
    ),
    endpoints: [
      // Its Anthropic endpoint keeps the reasoning apart from the text, the other one mixes them.
      { api: 'anthropic', baseUrl: 'https://api.minimax.io/anthropic/v1' },
      { api: 'openai-chat', baseUrl: 'https://api.minimax.io/v1' },
    ],
    defaultModel: 'MiniMax-M3',
  },
  {
    ...hosted('moonshot', 'MOONSHOT_API_KEY', 'https://platform.moonshot.ai/console/api-keys'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.moonshot.ai/v1' },
      { api: 'anthropic', baseUrl: 'https://api.moonshot.ai/anthropic/v1' },
    ],
  },
  {
    ...hosted('zai', 'ZAI_API_KEY', 'https://z.ai/manage-apikey/apikey-list'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.z.ai/api/paas/v4' },
      { api: 'anthropic', baseUrl: 'https://api.z.ai/api/anthropic/v1' },
    ],
  },
  {
    ...local('ollama', 'http://127.0.0.1:11434/v1'),
    litellmPrefixes: ['ollama', 'ollama_chat'],
  },
  { ...local('lmstudio', 'http://127.0.0.1:1234/v1'), litellmPrefixes: ['lm_studio'] },
  { ...local('vllm', 'http://127.0.0.1:8000/v1'), litellmPrefixes: ['hosted_vllm'] },
  { ...generic('openai-compatible', 'openai-chat') },
  { ...generic('anthropic-compatible', 'anthropic') },
];

function hosted(id: string, keyEnv: string, keyUrl: string): Provider {
  return {
    id,
    endpoints: [],
    needsKey: 'always',
    keyEnv,
    keyUrl,
    activityUrl: null,
    defaultModel: null,
    smallModel: null,
    billing: 'metered',
    litellmPrefixes: [id],
  };
}

function local(id: string, baseUrl: string): Provider {
  const endpoints = [{ api: 'openai-chat', baseUrl }] as const;
  return {
    id,
    endpoints,
    needsKey: 'never',
    keyEnv: null,
    keyUrl: null,
    activityUrl: null,
    defaultModel: null,
    smallModel: null,
    billing: 'free',
    litellmPrefixes: [],
  };
}

function generic(id: string, api: ProviderApi): Provider {
  return {
    id,
    endpoints: [{ api, baseUrl: null }],
    needsKey: 'depends',
    keyEnv: null,
    keyUrl: null,
    activityUrl: null,
    defaultModel: null,
    smallModel: null,
    billing: 'metered',
    litellmPrefixes: [],
  };
}

export function findProvider(id: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.id === id);
}

/** Does a part before `:` never name a provider here, as in `qwen3:8b`? True where people bring their own names. */
export function hasOwnModelNames(provider: Provider): boolean {
  return provider.needsKey !== 'always';
}

/** For a provider nobody knows: exit 2, with the list of known ones and the way to any other endpoint. */
export function unknownProvider(id: string): UserError {
  const known = PROVIDERS.map((entry) => entry.id).join(', ');
  return new UserError({
    code: 'unknown_provider',
    what: 'no provider of this name is known',
    value: id,
    remedy: `use one of ${known}; for any other endpoint: cc-delegate config profile set NAME --provider openai-compatible --base-url URL --model MODEL`,
    exit: EXIT.usage,
  });
}
