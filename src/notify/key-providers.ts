/**
 * The providers that `config key set` takes a key for by their own name. A copy of what `src/provider` knows, since no
 * hook may load that; a test holds the two equal.
 */
export const KEY_PROVIDERS = [
  'openrouter',
  'anthropic',
  'openai',
  'deepseek',
  'minimax',
  'moonshot',
  'zai',
  'ollama',
  'lmstudio',
  'vllm',
] as const;
