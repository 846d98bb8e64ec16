import { expect, it } from 'vitest';
import { SseReader } from '../../../../src/engine/claude/gateway/sse.ts';

const ENDS = { LF: '\n', CRLF: '\r\n', CR: '\r' } as const;

it.each(Object.entries(ENDS))(
  'events with line ends of %s are the same wherever the bytes break',
  (_name, end) => {
    const lines = [': a comment', 'event: one', 'data: ä€𝄞', 'data:second', '', 'data: {"a":1}', '', ''];
    const bytes = Buffer.from(lines.join(end));
    for (let at = 0; at <= bytes.length; at += 1) {
      const reader = new SseReader();
      const found = [...reader.push(bytes.subarray(0, at)), ...reader.push(bytes.subarray(at))];
      expect(found, `broken at ${at}`).toEqual(['ä€𝄞\nsecond', '{"a":1}']);
    }
  },
);
