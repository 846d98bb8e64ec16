import { describe, expect, it } from 'vitest';
import { estimateRequest } from '../../../../src/engine/claude/gateway/estimate.ts';
import { bodyFor, type Message } from '../../../../src/engine/claude/gateway/request-body.ts';
import { SseReader } from '../../../../src/engine/claude/gateway/sse.ts';
import { Thoughts } from '../../../../src/engine/claude/gateway/thoughts.ts';
import type { ModelRef } from '../../../../src/engine/engine.ts';

const REF: ModelRef = {
  provider: 'test',
  model: 'vendor/model',
  api: 'anthropic',
  baseUrl: 'https://models.example/api',
  apiKey: null,
  headers: {},
  prices: null,
  contextWindow: null,
  maxOutput: null,
};
const OWN: ModelRef = { ...REF, provider: 'anthropic', baseUrl: 'https://api.anthropic.com' };
const asIs = (text: string): string => text;
const hush = (text: string): string => text.replaceAll('hush', '***');

const say = (role: string, ...content: object[]): Message => ({ role, content });
const text = (words: string) => ({ type: 'text', text: words });
const call = { type: 'tool_use', id: 'hush', name: 'hush', input: {} };
const result = { type: 'tool_result', tool_use_id: 'hush', content: 'done' };

describe('the body an endpoint is sent', () => {
  it.each<{ what: string; messages: Message[]; sent: Message[] }>([
    {
      what: 'after the user’s message: at its end',
      messages: [
        { role: 'user', content: 'go' },
        { role: 'system', content: 'note' },
      ],
      sent: [say('user', text('go'), text('note'))],
    },
    {
      what: 'between a call and its result: after the result, which has to come first',
      messages: [
        say('user', text('go')),
        say('assistant', call),
        say('system', text('note')),
        say('user', result),
      ],
      sent: [say('user', text('go')), say('assistant', call), say('user', result, text('note'))],
    },
    {
      what: 'at the end: as a message of the user’s',
      messages: [say('user', text('go')), say('assistant', text('ok')), say('system', text('note'))],
      sent: [say('user', text('go')), say('assistant', text('ok')), say('user', text('note'))],
    },
  ])('has the client’s third role where all endpoints take it, $what', ({ messages, sent }) => {
    expect(bodyFor({ model: 'm', messages }, REF, asIs).messages).toEqual(sent);
    expect(bodyFor({ model: 'm', messages }, OWN, asIs).messages).toEqual(messages);
  });

  it('has no secret in any text, whatever the field of a call is named, and all that is signed or encoded as it was', () => {
    const thought = { type: 'thinking', thinking: 'hush', signature: 'sig' };
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'hush' } };
    const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hush' } };
    const body = {
      model: 'm',
      system: [text('hush')],
      messages: [
        { role: 'user', content: 'hush' },
        say('assistant', thought, { ...call, input: { data: 'hush', id: ['hush'] } }),
        say('user', { ...result, content: [text('hush'), picture] }, plain),
      ],
    };
    expect(bodyFor(body, REF, hush)).toEqual({
      model: 'vendor/model',
      system: [text('***')],
      messages: [
        { role: 'user', content: '***' },
        say('assistant', thought, { ...call, input: { data: '***', id: ['***'] } }),
        say(
          'user',
          { ...result, content: [text('***'), picture] },
          { ...plain, source: { type: 'text', media_type: 'text/plain', data: '***' } },
        ),
      ],
    });
  });

  it.each([
    { thinking: { type: 'adaptive' }, most: 4000, sent: undefined, own: { type: 'adaptive' } },
    { thinking: { type: 'enabled', budget_tokens: 3999 }, most: 4000 },
    {
      thinking: { type: 'enabled', budget_tokens: 9000 },
      most: 4000,
      sent: { type: 'enabled', budget_tokens: 3999 },
    },
    { thinking: { type: 'enabled', budget_tokens: 9000 }, most: 1000, sent: undefined },
  ])('has a thinking that the model takes: $thinking of at most $most', (row) => {
    const { thinking, most } = row;
    const sent = 'sent' in row ? row.sent : thinking;
    const body = { model: 'm', max_tokens: 32_000, thinking, messages: [] };
    expect(bodyFor(body, { ...REF, maxOutput: most }, asIs).thinking).toEqual(sent);
    const own = 'own' in row ? row.own : sent;
    expect(bodyFor(body, { ...OWN, maxOutput: most }, asIs).thinking).toEqual(own);
  });

  it('keeps what is new in the protocol for its own endpoint', () => {
    const fields = { context_management: {}, output_config: {}, metadata: { user_id: 'u' }, tools: [] };
    expect(bodyFor({ model: 'm', messages: [], ...fields }, OWN, asIs)).toMatchObject(fields);
    expect(bodyFor({ model: 'm', messages: [], ...fields }, REF, asIs)).toEqual({
      model: 'vendor/model',
      messages: [],
      tools: [],
    });
  });
});

it('shows a model only such signed thoughts as are its own', () => {
  const thoughts = new Thoughts();
  thoughts.note(REF, ['sig']);
  const mine = { type: 'thinking', thinking: 'a', signature: 'sig' };
  const other = { type: 'thinking', thinking: 'b', signature: 'other' };
  const hidden = { type: 'redacted_thinking', data: 'other' };
  const unsigned = { type: 'thinking', thinking: 'c', signature: '' };
  const history = [
    say('user', text('go')),
    say('assistant', mine, other, unsigned, text('ok')),
    say('assistant', hidden),
  ];
  expect(thoughts.own(history, REF)).toEqual([
    say('user', text('go')),
    say('assistant', mine, unsigned, text('ok')),
  ]);
  expect(thoughts.own(history, { ...REF, model: 'second' })[1]).toEqual(
    say('assistant', unsigned, text('ok')),
  );
});

it('counts a picture by what it shows, not by its bytes', () => {
  const picture = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400_000) },
  };
  const body = { model: 'm', messages: [say('user', text('look'), { ...result, content: [picture] })] };
  const tokens = estimateRequest(body, JSON.stringify(body));
  expect(tokens).toBeGreaterThan(1600);
  expect(tokens).toBeLessThan(1800);
});

it('reads a stream that breaks anywhere: in a character, in a line, between CR and LF', () => {
  const whole = Buffer.from(
    ': a comment\r\n\r\nevent: x\r\ndata: {"a":"ä€𝄞"}\r\n\r\ndata: one\ndata:two\n\nid: 1\rdata: three\r\r',
  );
  for (let size = 1; size <= whole.length; size += 1) {
    const reader = new SseReader();
    const found: string[] = [];
    for (let at = 0; at < whole.length; at += size) found.push(...reader.push(whole.subarray(at, at + size)));
    expect(found).toEqual(['{"a":"ä€𝄞"}', 'one\ntwo', 'three']);
  }
});
