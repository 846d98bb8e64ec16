import { describe, expect, it } from 'vitest';
import { priceList } from '../../src/provider/price-list.ts';
import { isSameModel } from '../../src/provider/price-names.ts';

describe('two names', () => {
  it.each([
    ['anthropic', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['anthropic', 'claude-sonnet-4-5-latest', 'claude-sonnet-4-5-20250929'],
    ['anthropic', 'claude-sonnet-4.5', 'anthropic/claude-sonnet-4-5'],
    ['openai', 'gpt-5', 'gpt-5-2025-08-07'],
    ['openai', 'GPT-5', 'openai/gpt-5'],
    ['openrouter', 'deepseek/deepseek-v4-flash:floor', 'deepseek/deepseek-v4-flash-0731'],
    ['openrouter', 'x/y:free', 'x/y:free'],
    ['google', 'gemini-2.0-flash', 'models/gemini-2.0-flash-001'],
    ['vertex', 'claude-sonnet-4-5', 'claude-sonnet-4-5@20250929'],
    ['zai', 'glm-5.3', 'z-ai/GLM-5.3'],
    ['vertex', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5@20250929'],
    ['openai', 'gpt-5-2025-08-07', 'gpt-5-20250807'],
  ])('are of one model of %s: %s, %s', (provider, asked, answered) => {
    expect(isSameModel(provider, asked, answered)).toBe(true);
    expect(isSameModel(provider, answered, asked)).toBe(true);
  });

  it.each([
    ['openai', 'gpt-5', 'gpt-5-pro'],
    ['openai', 'gpt-5', 'gpt-5-mini-2025-08-07'],
    ['openai', 'gpt-5', 'gpt-5.1'],
    ['openai', 'gpt-4', 'gpt-4-9999'],
    ['anthropic', 'claude-opus-5', 'claude-opus-5-5'],
    ['openrouter', 'a/model', 'b/model'],
    ['openrouter', 'x/y:free', 'x/y'],
    ['groq', 'openai/gpt-oss-20b', 'gpt-oss-20b'],
    ['mistral', 'mistral-medium-2505', 'mistral-medium-2508'],
    ['openai', 'model-001', 'model-002'],
    ['moonshot', 'kimi-k2-0711', 'kimi-k2-0905'],
    ['google', 'gemini-2.0-flash-001', 'gemini-2.0-flash-002'],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5@20260101'],
  ])('are of two models of %s: %s, %s', (provider, asked, answered) => {
    expect(isSameModel(provider, asked, answered)).toBe(false);
  });
});

describe('a list', () => {
  const entry = (id: string, input: number) => ({
    id,
    prices: { input, output: 1 },
    context: null,
    maxOutput: null,
  });

  it('has a dated build under its own price, and an unlisted one under that of the model', () => {
    const list = priceList('openai', [entry('gpt-4o', 2), entry('gpt-4o-2024-05-13', 5)]);
    expect(list.exact('gpt-4o-2024-05-13')?.prices?.input).toBe(5);
    expect(list.exact('gpt-4o-2031-01-01')).toBeNull();
    expect(list.build('gpt-4o-2031-01-01')?.prices?.input).toBe(2);
    expect(list.build('gpt-4o-mini')).toBeNull();
  });

  it('knows a model by its builds only where they cost the same', () => {
    const same = [entry('m-20250101', 3), entry('m-20250202', 3)];
    expect(priceList('openai', same).build('m')?.prices?.input).toBe(3);
    expect(priceList('openai', [...same, entry('m-20250303', 4)]).build('m')).toBeNull();
  });
});
