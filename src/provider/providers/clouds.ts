import type { Provider } from '../provider.ts';

/**
 * Clouds: their base URL follows from region, project or resource (see `cloud.ts`), and each has its own protocol
 * around the one named here. Model names are those of the account, so no prefix in them names another provider.
 */
export const CLOUDS: readonly Provider[] = [
  {
    ...cloud('bedrock', 'AWS_BEARER_TOKEN_BEDROCK', 'https://console.aws.amazon.com/bedrock/home#/api-keys'),
    // Spoken to by Converse; the word matters to nobody but the table.
    endpoints: [{ api: 'openai-chat', baseUrl: null }],
    activityUrl: 'https://console.aws.amazon.com/costmanagement/home',
    defaultModel: 'global.anthropic.claude-sonnet-5-5',
    smallModel: 'global.anthropic.claude-haiku-5-5',
  },
  {
    ...cloud('azure', 'AZURE_API_KEY', 'https://ai.azure.com'),
    endpoints: [
      { api: 'openai-chat', baseUrl: null },
      { api: 'openai-responses', baseUrl: null },
    ],
    activityUrl: 'https://portal.azure.com/#view/Microsoft_Azure_CostManagement',
  },
  {
    ...cloud(
      'vertex',
      'GOOGLE_VERTEX_API_KEY',
      'https://console.cloud.google.com/vertex-ai/studio/settings/api-keys',
    ),
    endpoints: [{ api: 'google', baseUrl: null }],
    activityUrl: 'https://console.cloud.google.com/billing',
    defaultModel: 'gemini-3.8-flash',
    smallModel: 'gemini-3.1-flash-lite',
    litellmPrefixes: ['vertex', 'vertex_ai'],
  },
];

function cloud(id: 'bedrock' | 'azure' | 'vertex', keyEnv: string, keyUrl: string): Provider {
  return {
    id,
    endpoints: [],
    needsKey: 'always',
    cloud: id,
    keyEnv,
    keyUrl,
    activityUrl: null,
    defaultModel: null,
    smallModel: null,
    billing: 'metered',
    litellmPrefixes: [id],
  };
}
