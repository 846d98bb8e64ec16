import { describe, expect, it } from 'vitest';
import type { JobId } from '../../../src/job/ids.ts';
import { type JobRecord, NO_PROGRESS, NO_RESULT } from '../../../src/job/record.ts';
import { columnsOf, cutToColumns } from '../../../src/notify/line/columns.ts';
import { deadText, LINE_WIDTHS, lineText } from '../../../src/notify/line/text.ts';
import { sampleRecord } from '../../store/fixtures/records.ts';

const id = 't_m3k9x2f1_ab12cd' as JobId;

function record(patch: Partial<JobRecord>): JobRecord {
  return {
    ...sampleRecord(),
    id,
    model: 'openrouter:qwen/qwen3-coder',
    sandbox: 'full',
    costUsd: 0.24,
    ...patch,
  };
}

const running = record({
  state: 'running',
  progress: { ...NO_PROGRESS, step: 7, note: 'editing lib/a.ts' },
});
const asking = record({
  state: 'needs_input',
  question: {
    id: 'q1',
    kind: 'question',
    message: 'Keep the v1 API, or drop it and say so in the notes?',
    askedAt: '',
    expiresAt: '',
  },
});
const ended = (state: JobRecord['state'], patch: Partial<JobRecord> = {}): JobRecord =>
  record({ state, result: { ...NO_RESULT, files: 4, salvaged: state !== 'succeeded' }, ...patch });

describe('the line of a job', () => {
  it.each([
    [running, 80, '⏳ delegate t_…ab12cd · qwen3-coder · step 7 · editing lib/a.ts'],
    [running, 60, '⏳ delegate t_…ab12cd · qwen3-coder · step 7 · editing lib/…'],
    [running, 40, '⏳ delegate t_…ab12cd · step 7'],
    [running, 20, '⏳ t_…ab12cd step 7'],
    [asking, 80, '⚠ delegate t_…ab12cd · asks: Keep the v1 API, or drop it a… · → /delegate-answer'],
    [asking, 60, '⚠ delegate t_…ab12cd · asks: Keep the… · → /delegate-answer'],
    [asking, 40, '⚠ delegate t_…ab12cd · asks: Keep the v…'],
    [asking, 20, '⚠ delegate t_…ab12cd'],
    [ended('succeeded'), 80, '✓ delegate t_…ab12cd · done · 4 files · $0.24'],
    [ended('succeeded'), 40, '✓ delegate t_…ab12cd · done · 4 files'],
    [ended('succeeded'), 20, '✓ t_…ab12cd done'],
    [
      ended('failed', { reason: 'gate_failed' }),
      80,
      '✗ delegate t_…ab12cd · the test command fails on the collected… · work salvaged',
    ],
    [
      ended('timeout', { reason: 'wall' }),
      80,
      '✗ delegate t_…ab12cd · the time limit is reached · work salvaged',
    ],
    [ended('cancelled'), 80, '⊘ delegate t_…ab12cd · cancelled · work salvaged'],
    [record({ state: 'queued' }), 80, '⏳ delegate t_…ab12cd · qwen3-coder · queued'],
    [
      record({ state: 'running', sandbox: 'none' }),
      80,
      '⏳ delegate t_…ab12cd · qwen3-coder · step 0 · unsandboxed',
    ],
  ])('%# says what counts in the room there is', (job, width, text) => {
    expect(lineText(job, width)).toBe(text);
    expect(columnsOf(text)).toBeLessThanOrEqual(width);
  });

  it('names a dead runner, and where to look', () => {
    expect(deadText(running, 80)).toBe('✗ delegate t_…ab12cd · runner died · cc-delegate status ab12cd');
    expect(deadText(running, 40)).toBe('✗ delegate t_…ab12cd · runner died');
  });

  it('shows no more than 44 characters of a note', () => {
    const note = `${'long '.repeat(60)}end`;
    const line = lineText({ ...running, progress: { ...running.progress, note } }, 200);
    expect(line.split(' · ').at(-1)).toMatch(/^(long )+.*…$/);
    expect([...(line.split(' · ').at(-1) ?? '')]).toHaveLength(44);
  });

  it.each([
    ['wide characters', '日本語のとても長い説明文です。'.repeat(20)],
    ['emoji', '👩‍👩‍👧‍👦 family 🇫🇷 ❤️ '.repeat(20)],
    ['escapes', '\u001b[31mred\u001b]0;title\u0007\u202e\n\r\ttext '.repeat(20)],
    ['combining marks', 'e\u0301'.repeat(300)],
    ['one endless word', 'x'.repeat(300)],
  ])('never takes more columns than it has, nor steers the terminal: %s', (_name, message) => {
    for (const width of [...LINE_WIDTHS, 27, 13]) {
      for (const job of [
        { ...running, model: message, progress: { ...running.progress, note: message } },
        { ...asking, question: asking.question && { ...asking.question, message } },
      ]) {
        const line = lineText(job, width);
        expect(columnsOf(line)).toBeLessThanOrEqual(width);
        expect(line).toContain('ab12cd');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }
    }
  });
});

describe('columns', () => {
  it.each([
    ['plain', 5],
    ['日本', 4],
    ['⏳', 2],
    ['⚠', 1],
    ['❤️', 2],
    ['e\u0301', 1],
    ['한글', 4],
    ['ＡＢ', 4],
  ])('of %s are %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  it('are cut between characters', () => {
    expect(cutToColumns('日本語', 5)).toBe('日本…');
    expect(cutToColumns('日本語', 4)).toBe('日…');
    expect(cutToColumns('abc', 0)).toBe('');
  });
});
