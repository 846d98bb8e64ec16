/**
 * The providers that `config key set` takes a key for by their own name. A copy of what `src/provider` knows, since no
 * hook may load that; a test holds the two equal.
 */
export const KEY_PROVIDERS = [
  'openrouter',
  'minimax',
  'deepseek',
  'moonshot',
  'zai',
  'google',
  'xai',
  'groq',
  'mistral',
  'qwen',
  'openai',
  'anthropic',
  'ollama',
  'lmstudio',
  'vllm',
] as const;
