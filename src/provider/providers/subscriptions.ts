import type { Provider } from '../provider.ts';

/** Subscriptions that are logged in to by device flow (`auth login`), in place of a key. */
export const SUBSCRIPTIONS: readonly Provider[] = [
  {
    ...subscription('copilot', 'copilot'),
    // Accounts of companies have another host: the login says which, and it takes the place of this one.
    endpoints: [
      { api: 'openai-chat', baseUrl: 'https://api.githubcopilot.com' },
      { api: 'openai-responses', baseUrl: 'https://api.githubcopilot.com' },
      { api: 'anthropic', baseUrl: 'https://api.githubcopilot.com/v1' },
    ],
    apiOf: [
      ...['gpt-', 'grok-', 'mai-'].map((prefix) => ({ prefix, api: 'openai-responses' as const })),
      { prefix: 'claude-', api: 'anthropic' },
    ],
    activityUrl: 'https://github.com/settings/copilot',
    defaultModel: 'gemini-3.8-flash',
    litellmPrefixes: ['copilot', 'github_copilot'],
  },
  {
    ...subscription('chatgpt', 'chatgpt'),
    endpoints: [{ api: 'openai-responses', baseUrl: 'https://chatgpt.com/backend-api/codex' }],
    activityUrl: 'https://chatgpt.com/codex/settings/usage',
    defaultModel: 'gpt-6.1-terra',
    smallModel: 'gpt-6-luna',
  },
];

function subscription(id: string, login: 'copilot' | 'chatgpt'): Provider {
  return {
    id,
    endpoints: [],
    needsKey: 'login',
    login,
    keyEnv: null,
    keyUrl: null,
    activityUrl: null,
    defaultModel: null,
    smallModel: null,
    billing: 'subscription',
    litellmPrefixes: [id],
  };
}
