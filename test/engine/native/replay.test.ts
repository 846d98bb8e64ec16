import { expect, it } from 'vitest';
import { MODEL_APIS, type ModelApi } from '../../../src/engine/engine.ts';
import { nativeEngine } from '../../../src/engine/native/engine.ts';
import { eventsOf, finish, modelRef, scripted, spent } from '../harness.ts';

/** What the second request has to have of the first answer, besides call and result. */
const THOUGHTS: Record<ModelApi, object> = {
  'openai-chat': {
    messages: [{}, {}, { role: 'assistant', reasoning_content: 'Look first.' }, { role: 'tool' }],
  },
  'openai-responses': {
    include: ['reasoning.encrypted_content'],
    input: [
      { role: 'developer' },
      { role: 'user' },
      {
        type: 'reasoning',
        encrypted_content: 'scripted-encrypted',
        summary: [{ type: 'summary_text', text: 'Look first.' }],
      },
      { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a.txt"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'content of a.txt' },
    ],
  },
  anthropic: {
    messages: [
      {},
      {
        content: [
          { type: 'thinking', thinking: 'Look first.', signature: 'scripted' },
          { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a.txt' } },
        ],
      },
      { content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
    ],
  },
  google: {
    contents: [
      {},
      {
        role: 'model',
        parts: [
          { thought: true, text: 'Look first.' },
          { functionCall: { name: 'read', args: { path: 'a.txt' } }, thoughtSignature: 'c2NyaXB0ZWQ=' },
        ],
      },
      { parts: [{ functionResponse: { name: 'read' } }] },
    ],
  },
};

it.each(MODEL_APIS)(
  '%s: a whole exchange, the second request with the first answer as it came',
  async (api) => {
    const model = await scripted([
      {
        thinking: 'Look first.',
        calls: [{ id: 'call_1', name: 'read', args: { path: 'a.txt' } }],
        usage: { prompt: 1000, output: 20, cacheRead: 600 },
      },
      { text: 'Done.', usage: { prompt: 1500, output: 30, cacheRead: 1000 } },
    ]);
    const name = api === 'openai-responses' ? 'gpt-6.1-terra' : 'scripted';
    const run = await finish({ engine: nativeEngine, models: [modelRef(model, api, { model: name })] });
    expect(run.outcome).toEqual({ status: 'done', finalText: 'Done.' });
    expect(run.log).toEqual(['content of a.txt']);
    expect(model.requests[1]?.body).toMatchObject(THOUGHTS[api]);
    expect(spent(run.events).usage).toEqual({ input: 900, output: 50, cacheRead: 1600, cacheWrite: 0 });
  },
);

it.each(MODEL_APIS)('%s: names the model that answered, whichever was asked', async (api) => {
  const model = await scripted([{ text: 'Done.' }]);
  const ref = modelRef(model, api, { model: 'alias', body: api === 'google' ? {} : { model: 'dated-0731' } });
  const asked = api === 'google' ? { ...ref, model: 'dated-0731' } : ref;
  const { events } = await finish({ engine: nativeEngine, models: [asked] });
  expect(eventsOf(events, 'spend')).toMatchObject([
    { provider: 'test', model: asked.model, answered: 'dated-0731' },
  ]);
});

it('asks no model that does not reason for its thoughts', async () => {
  const model = await scripted([{ text: 'Done.' }]);
  await finish({ engine: nativeEngine, models: [modelRef(model, 'openai-responses', { model: 'gpt-4.1' })] });
  expect(model.requests[0]?.body).toMatchObject({ store: false });
  expect(model.requests[0]?.body).not.toHaveProperty('include');
});

it('goes on by Responses after a restart, without thoughts that were encrypted for an earlier one', async () => {
  const first = await scripted([
    { thinking: 'Hm.', calls: [{ name: 'read', args: { path: 'a.txt' } }] },
    { text: 'Done.' },
  ]);
  const ref = (model: typeof first) => modelRef(model, 'openai-responses', { model: 'gpt-6.1-terra' });
  const { file } = await finish({ engine: nativeEngine, models: [ref(first)] });
  const second = await scripted([{ text: 'Done again.' }]);
  const spec = { conversation: { file, resume: true } };
  const run = await finish({ engine: nativeEngine, models: [ref(second)], spec });
  expect(run.outcome).toEqual({ status: 'done', finalText: 'Done again.' });
  const text = second.requests[0]?.text ?? '';
  expect(text).toContain('function_call_output');
  expect(text).not.toMatch(/scripted-encrypted|"id":"(?:rs|fc|msg)_/);
});
