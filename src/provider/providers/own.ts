import type { Provider, ProviderApi } from '../provider.ts';

const NOTHING_KNOWN = {
  keyEnv: null,
  keyUrl: null,
  activityUrl: null,
  defaultModel: null,
  smallModel: null,
  litellmPrefixes: [],
} as const;

/** Servers on this machine. */
export const LOCAL: readonly Provider[] = [
  { ...local('ollama', 'http://127.0.0.1:11434/v1'), litellmPrefixes: ['ollama', 'ollama_chat'] },
  { ...local('lmstudio', 'http://127.0.0.1:1234/v1'), litellmPrefixes: ['lm_studio'] },
  { ...local('vllm', 'http://127.0.0.1:8000/v1'), litellmPrefixes: ['hosted_vllm'] },
];

/** Any other endpoint, a LiteLLM proxy among them: a profile brings the URL. */
export const GENERIC: readonly Provider[] = [
  generic('openai-compatible', 'openai-chat'),
  generic('anthropic-compatible', 'anthropic'),
];

function local(id: string, baseUrl: string): Provider {
  const endpoints = [{ api: 'openai-chat', baseUrl }] as const;
  return { ...NOTHING_KNOWN, id, endpoints, needsKey: 'never', billing: 'free' };
}

function generic(id: string, api: ProviderApi): Provider {
  return {
    ...NOTHING_KNOWN,
    id,
    endpoints: [{ api, baseUrl: null }],
    needsKey: 'depends',
    billing: 'metered',
  };
}
