import { describe, expect, it } from 'vitest';
import { createCapture, limitLog } from '../../../src/workspace/sandbox/capture.ts';

function captureOf(keepBytes: number, chunks: readonly (string | Uint8Array)[]) {
  const capture = createCapture(keepBytes);
  for (const chunk of chunks) capture.write(Buffer.from(chunk));
  const { bytes, ...rest } = capture.result();
  return { text: Buffer.from(bytes).toString('utf8'), ...rest };
}

describe('a capture', () => {
  it.each([
    ['nothing', 10, [], '', false],
    ['less than its room', 10, ['abc'], 'abc', false],
    ['exactly its room', 10, ['abcde', 'fghij'], 'abcdefghij', false],
    ['more, in one chunk', 6, ['abcdefghij'], 'abc\n[... 4 bytes left out, 10 bytes in all ...]\nhij', true],
    [
      'more, byte by byte',
      6,
      [...'abcdefghij'],
      'abc\n[... 4 bytes left out, 10 bytes in all ...]\nhij',
      true,
    ],
    [
      'more, in uneven chunks',
      6,
      ['ab', 'cdefg', 'hi', 'j'],
      'abc\n[... 4 bytes left out, 10 bytes in all ...]\nhij',
      true,
    ],
    ['anything, without room', 0, ['abc'], '\n[... 3 bytes left out, 3 bytes in all ...]\n', true],
    ['an odd room', 5, ['abcdefghij'], 'abc\n[... 5 bytes left out, 10 bytes in all ...]\nij', true],
  ] as const)('keeps %s', (_, keepBytes, chunks, text, truncated) => {
    const totalBytes = chunks.join('').length;
    expect(captureOf(keepBytes, chunks)).toEqual({ text, totalBytes, truncated });
  });

  it('never cuts inside a character', () => {
    for (let room = 2; room < 24; room += 1) {
      expect(captureOf(room, ['aé€😀'.repeat(20)]).text).not.toContain('\ufffd');
    }
  });

  it('keeps bytes that are no text as they are', () => {
    const capture = createCapture(10);
    capture.write(Buffer.from([0, 255, 254, 128]));
    expect(capture.result().bytes).toEqual(Buffer.from([0, 255, 254, 128]));
  });
});

describe('a limited log', () => {
  it('ends with one note', () => {
    const seen: string[] = [];
    const log = limitLog((chunk) => seen.push(Buffer.from(chunk).toString()), 5);
    for (const chunk of ['abc', 'def', 'ghi']) log(Buffer.from(chunk));
    expect(seen.join('')).toBe('abcde\n[the log of this command ends here, after 5 bytes]\n');
  });
});
