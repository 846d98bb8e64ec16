import { describe, expect, it } from 'vitest';
import {
  assistantParts,
  type Message,
  mergeUsers,
  withoutSignedThoughts,
} from '../../../src/engine/native/messages.ts';

describe('assistantParts', () => {
  it.each([
    { input: {}, kept: {} },
    { input: { path: 'a' }, kept: { path: 'a' } },
    { input: null, kept: {} },
    { input: ['a'], kept: {} },
    { input: 'not json', kept: {} },
  ])('keeps the arguments $input as $kept, since endpoints take objects alone', ({ input, kept }) => {
    const part = { type: 'tool-call', toolCallId: 'c', toolName: 'read', input, providerOptions: undefined };
    expect(assistantParts([part])).toEqual([
      { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: kept },
    ]);
  });

  it('gives a name to a call that has none an endpoint would take', () => {
    const part = { type: 'tool-call', toolCallId: 'c', toolName: 'a b', input: {} };
    expect(assistantParts([part])[0]).toMatchObject({ toolName: 'invalid_tool_name' });
  });

  it('leaves out what cannot be sent again', () => {
    expect(
      assistantParts([
        { type: 'file', data: 'x' },
        { type: 'text', text: 'a' },
      ]),
    ).toEqual([{ type: 'text', text: 'a' }]);
  });
});

describe('a history for another model', () => {
  it('has no thoughts that one provider signed', () => {
    const signed = {
      type: 'reasoning' as const,
      text: 'a',
      providerOptions: { anthropic: { signature: 's' } },
    };
    const open = { type: 'reasoning' as const, text: 'b' };
    const messages: Message[] = [
      { role: 'assistant', content: [signed, open] },
      { role: 'assistant', content: [signed] },
    ];
    expect(withoutSignedThoughts(messages)).toEqual([{ role: 'assistant', content: [open] }]);
  });

  it('has no two user messages in a row', () => {
    const messages: Message[] = [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ];
    expect(mergeUsers(messages)).toEqual([{ role: 'user', content: 'a\n\nb' }]);
  });
});
