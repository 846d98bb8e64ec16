import type { Provider } from '../provider.ts';

/**
 * Services that are paid by use, with a key. Base URLs and variable names are the ones each documents for
 * international use (November 2026). Where a key is there and no profile, the first row with one is used: those the
 * supervisor runs on stand last, so that nobody delegates to them by surprise.
 */
export const HOSTED: readonly Provider[] = [
  {
    ...hosted('openrouter', 'OPENROUTER_API_KEY', 'https://openrouter.ai/settings/keys'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://openrouter.ai/api/v1' },
      { api: 'anthropic', baseUrl: 'https://openrouter.ai/api/v1' },
    ],
    activityUrl: 'https://openrouter.ai/activity',
    defaultModel: 'deepseek/deepseek-v4-flash-0731',
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
    activityUrl: 'https://platform.minimax.io/user-center/payment/balance',
    defaultModel: 'MiniMax-M3',
    smallModel: 'MiniMax-M3.1-Flash',
  },
  {
    ...hosted('deepseek', 'DEEPSEEK_API_KEY', 'https://platform.deepseek.com/api_keys'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.deepseek.com/v1' },
      { api: 'anthropic', baseUrl: 'https://api.deepseek.com/anthropic/v1' },
    ],
    activityUrl: 'https://platform.deepseek.com/usage',
    defaultModel: 'deepseek-flash',
  },
  {
    ...hosted('moonshot', 'MOONSHOT_API_KEY', 'https://platform.moonshot.ai/console/api-keys'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.moonshot.ai/v1' },
      { api: 'anthropic', baseUrl: 'https://api.moonshot.ai/anthropic/v1' },
    ],
    activityUrl: 'https://platform.moonshot.ai/console/account',
    defaultModel: 'kimi-k2.7-code',
    smallModel: 'kimi-k2.6',
  },
  {
    ...hosted('zai', 'ZAI_API_KEY', 'https://z.ai/manage-apikey/apikey-list'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.z.ai/api/paas/v4' },
      { api: 'anthropic', baseUrl: 'https://api.z.ai/api/anthropic/v1' },
    ],
    activityUrl: 'https://z.ai/manage-apikey/billing',
    defaultModel: 'glm-5.3',
    smallModel: 'glm-5.3-flash',
  },
  {
    ...hosted('google', 'GOOGLE_GENERATIVE_AI_API_KEY', 'https://aistudio.google.com/apikey'),
    keyEnvAlso: ['GEMINI_API_KEY'],
    endpoints: [{ api: 'google', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' }],
    activityUrl: 'https://aistudio.google.com/usage',
    defaultModel: 'gemini-3.8-flash',
    smallModel: 'gemini-3.1-flash-lite',
    litellmPrefixes: ['google', 'gemini'],
  },
  {
    ...hosted('xai', 'XAI_API_KEY', 'https://console.x.ai'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.x.ai/v1' },
      { api: 'openai-responses', baseUrl: 'https://api.x.ai/v1' },
    ],
    activityUrl: 'https://console.x.ai',
    defaultModel: 'grok-4.7',
    smallModel: 'grok-4.3',
  },
  {
    ...hosted('groq', 'GROQ_API_KEY', 'https://console.groq.com/keys'),
    endpoints: [{ api: 'openai-chat', baseUrl: 'https://api.groq.com/openai/v1' }],
    activityUrl: 'https://console.groq.com/dashboard/usage',
    defaultModel: 'openai/gpt-oss-120b',
    smallModel: 'openai/gpt-oss-20b',
  },
  {
    ...hosted('mistral', 'MISTRAL_API_KEY', 'https://console.mistral.ai/api-keys'),
    endpoints: [{ api: 'openai-chat', baseUrl: 'https://api.mistral.ai/v1' }],
    activityUrl: 'https://console.mistral.ai/usage',
    defaultModel: 'devstral-latest',
    smallModel: 'mistral-small-latest',
  },
  {
    ...hosted('qwen', 'DASHSCOPE_API_KEY', 'https://bailian.console.alibabacloud.com/?tab=model#/api-key'),
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
      { api: 'anthropic', baseUrl: 'https://dashscope-intl.aliyuncs.com/apps/anthropic/v1' },
    ],
    activityUrl: 'https://bailian.console.alibabacloud.com/?tab=costing',
    defaultModel: 'qwen3.7-plus',
    smallModel: 'qwen3.8-flash',
    litellmPrefixes: ['qwen', 'dashscope'],
  },
  {
    ...hosted('openai', 'OPENAI_API_KEY', 'https://platform.openai.com/api-keys'),
    endpoints: [
      // Its newer models think between two tool calls, which the other protocol throws away.
      { api: 'openai-responses', baseUrl: 'https://api.openai.com/v1' },
      { api: 'openai-chat', baseUrl: 'https://api.openai.com/v1' },
    ],
    activityUrl: 'https://platform.openai.com/usage',
    defaultModel: 'gpt-6.1-terra',
    smallModel: 'gpt-6-luna',
  },
  {
    ...hosted('anthropic', 'ANTHROPIC_API_KEY', 'https://console.anthropic.com/settings/keys'),
    endpoints: [{ api: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' }],
    activityUrl: 'https://console.anthropic.com/usage',
    defaultModel: 'claude-sonnet-5-5',
    smallModel: 'claude-haiku-5-5',
  },
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
