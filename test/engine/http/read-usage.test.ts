import { describe, expect, it } from 'vitest';
import { readModel, readUsage } from '../../../src/engine/http/read-usage.ts';
import type { Reported } from '../../../src/engine/http/usage.ts';

const all = (chunks: readonly unknown[]) =>
  chunks.reduce<Reported | null>((before, chunk) => readUsage(chunk, before), null);

const responses = (type: string, usage: object) => ({ type, response: { model: 'gpt-6', usage } });
const google = (usageMetadata: object) => ({ candidates: [], usageMetadata });

describe('the usage in the chunks of a stream', () => {
  it.each([
    {
      name: 'Responses: reasoning is in the output, the cache in the input',
      chunks: [
        { type: 'response.created', response: { model: 'gpt-6', usage: null } },
        responses('response.completed', {
          input_tokens: 1000,
          input_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
          output_tokens: 50,
          output_tokens_details: { reasoning_tokens: 40 },
          total_tokens: 1050,
        }),
      ],
      usage: { input: 300, output: 50, cacheRead: 600, cacheWrite: 100 },
    },
    {
      name: 'Responses: an answer that was cut off is paid too',
      chunks: [responses('response.incomplete', { input_tokens: 7, output_tokens: 9 })],
      usage: { input: 7, output: 9, cacheRead: 0, cacheWrite: 0 },
    },
    {
      name: 'Google: thoughts beside the answer, tool prompts beside the prompt, each chunk from the start',
      chunks: [
        google({ promptTokenCount: 1000, thoughtsTokenCount: 30, totalTokenCount: 1030 }),
        google({ promptTokenCount: 1000, cachedContentTokenCount: 400, thoughtsTokenCount: 40 }),
        google({
          promptTokenCount: 1000,
          cachedContentTokenCount: 400,
          candidatesTokenCount: 20,
          thoughtsTokenCount: 40,
          toolUsePromptTokenCount: 5,
        }),
      ],
      usage: { input: 605, output: 60, cacheRead: 400, cacheWrite: 0 },
    },
    {
      name: 'Bedrock: all apart',
      chunks: [
        { messageStart: { role: 'assistant' } },
        {
          metadata: {
            usage: {
              inputTokens: 10,
              outputTokens: 20,
              cacheReadInputTokens: 30,
              cacheWriteInputTokens: 40,
              totalTokens: 100,
            },
          },
        },
      ],
      usage: { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 },
    },
    {
      name: 'Anthropic: what is written for an hour is written',
      chunks: [
        {
          type: 'message_start',
          message: {
            usage: {
              input_tokens: 3,
              cache_read_input_tokens: 5,
              cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 900 },
              output_tokens: 1,
            },
          },
        },
        { type: 'message_delta', usage: { output_tokens: 42 } },
      ],
      usage: { input: 3, output: 42, cacheRead: 5, cacheWrite: 1000 },
    },
    {
      name: 'chat: reasoning is a part of the completion',
      chunks: [
        {
          usage: {
            prompt_tokens: 100,
            completion_tokens: 50,
            total_tokens: 150,
            completion_tokens_details: { reasoning_tokens: 30 },
          },
        },
      ],
      usage: { input: 100, output: 50, cacheRead: 0, cacheWrite: 0 },
    },
    {
      name: 'xAI: reasoning stands beside the completion, as its total shows',
      chunks: [
        {
          usage: {
            prompt_tokens: 100,
            completion_tokens: 50,
            total_tokens: 180,
            completion_tokens_details: { reasoning_tokens: 30 },
            prompt_tokens_details: { cached_tokens: 60 },
          },
        },
      ],
      usage: { input: 40, output: 80, cacheRead: 60, cacheWrite: 0 },
    },
    {
      name: 'null and nothing at all leave what was known',
      chunks: [{ usage: { prompt_tokens: 9, completion_tokens: 1 } }, { usage: null }, { usage: {} }, {}],
      usage: { input: 9, output: 1, cacheRead: 0, cacheWrite: 0 },
    },
  ])('$name', ({ chunks, usage }) => {
    expect(all(chunks)?.usage).toEqual(usage);
  });
});

it.each([
  [{ model: 'chat-0731' }, 'chat-0731'],
  [{ type: 'message_start', message: { model: 'claude-x' } }, 'claude-x'],
  [{ type: 'response.created', response: { model: 'gpt-6-2026-08-01' } }, 'gpt-6-2026-08-01'],
  [{ modelVersion: 'gemini-3.8-flash-001' }, 'gemini-3.8-flash-001'],
  [{ model: '' }, null],
  [{ model: null }, null],
  [{ usage: {} }, null],
  ['text', null],
  [null, null],
])('reads out of %j that %s answers', (chunk, wanted) => {
  expect(readModel(chunk)).toBe(wanted);
});
