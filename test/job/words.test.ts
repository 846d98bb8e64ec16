import { describe, expect, it } from 'vitest';
import {
  escapeControls,
  formatDuration,
  formatMoney,
  oneLine,
  shortModel,
  stripControls,
  trimLine,
  visiblePath,
} from '../../src/job/format.ts';
import { couldBeJobId, isJobId, makeJobId, matchIds, shortId } from '../../src/job/ids.ts';
import { FAILED_REASONS, TIMEOUT_REASONS } from '../../src/job/states.ts';
import { reasonWords, summaryLine } from '../../src/job/summary.ts';
import { judge } from '../../src/job/verdict.ts';

it.each([
  ['openrouter:qwen/qwen3-coder', 'qwen3-coder'],
  ['openrouter:google/gemma-4-31b-it:free', 'gemma-4-31b-it:free'],
  ['ollama:qwen3:8b', 'qwen3:8b'],
  ['openai:gpt-5', 'gpt-5'],
  ['plain', 'plain'],
  ['lan:', 'lan:'],
])('the model %s is called %s', (name, short) => {
  expect(shortModel(name)).toBe(short);
});

describe('ids', () => {
  it('sort by the millisecond they were made in', () => {
    const ids = [1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000].map((ms) => makeJobId(ms, 35));
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(isJobId(id)).toBe(true);
    expect(shortId(makeJobId(1, 35))).toBe('00000z');
  });

  it('are found by a suffix of six characters or more, whole or not at all', () => {
    const ids = [makeJobId(1_700_000_000_000, 36), makeJobId(1_700_000_000_001, 36)];
    expect(matchIds(ids, '000010')).toEqual(ids);
    expect(matchIds(ids, ids[0] ?? '')).toEqual([ids[0]]);
    expect(matchIds(ids, '00010')).toEqual([]);
  });

  it.each([
    '../../x',
    '/etc/passwd',
    '..',
    '',
    ' ',
    '-D',
    'a/b',
    'a\0bcdefg',
    'a\nbcdefg',
    'x.lock',
    'ünïcode',
    'a'.repeat(300),
  ])('never take %j for one (SEC-08)', (typed) => expect(couldBeJobId(typed)).toBe(false));
});

describe('what people read', () => {
  it.each([
    [0.25, '0.3s'],
    [12.4, '12s'],
    [252, '4m12s'],
    [3780, '1h03m'],
    [-5, '0.0s'],
  ])('%s seconds as %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));

  it.each([
    [null, 'price unknown'],
    [0, '$0.00'],
    [0.004, '<$0.01'],
    [0.236, '$0.24'],
  ])('%s dollars as %s', (usd, text) => expect(formatMoney(usd)).toBe(text));

  it('loses control, bidi, tag and zero-width characters, and no others', () => {
    expect(stripControls('a\u001b]52;c;x\u0007b\u202ec\u{e0041}d\u200be\r\n\té日😀')).toBe(
      'a]52;c;xbcde\n\té日😀',
    );
    expect(oneLine('a\nb')).toBe('a b');
  });

  it('is escaped in JSON, so that a terminal sees nothing and a program the same value', () => {
    const value = { 'a\u009b': ['b\u202ec\u{e0041}d\u200b\u001b\u007f', 'é日😀\n'] };
    const text = escapeControls(JSON.stringify(value));
    expect(JSON.parse(text)).toEqual(value);
    expect(stripControls(text)).toBe(text);
    expect(text).toContain('é日😀');
  });

  it('is cut by characters, the cut marked', () => {
    expect(trimLine('  many   words  ', 20)).toBe('many words');
    expect(trimLine('😀😀😀😀', 3)).toBe('😀😀…');
  });

  it('shows a file name as one line', () => expect(visiblePath('a\nb\tc\\d')).toBe('a\\nb\\tc\\\\d'));

  it('has words for every reason', () => {
    for (const reason of [...FAILED_REASONS, ...TIMEOUT_REASONS])
      expect(reasonWords(reason)).toMatch(/\w+ \w+/);
  });

  it('sums a job up in one line, facts first', () => {
    const facts = {
      files: 4,
      testCommand: 'npm test',
      testExitCode: 0,
      flags: [],
      costUsd: 0.24,
      salvaged: false,
    } as const;
    expect(summaryLine({ ...facts, state: 'succeeded', reason: null })).toBe('4 files, tests pass, $0.24');
    expect(
      summaryLine({ ...facts, state: 'succeeded', reason: null, testCommand: null, flags: ['unproven'] }),
    ).toBe('4 files, no test command (unproven), $0.24');
    expect(summaryLine({ ...facts, state: 'timeout', reason: 'wall', salvaged: true, costUsd: null })).toBe(
      'wall: the time limit is reached, 4 files, work kept, price unknown',
    );
  });
});

describe('the verdict', () => {
  const gate = { changed: true, setupOk: true, tests: null } as const;
  it.each([
    ['nothing changed', { ...gate, changed: false }, 'no_changes'],
    ['set-up fails in the clean checkout', { ...gate, setupOk: false }, 'setup_failed'],
    ['no test command', gate, null],
    ['tests pass', { ...gate, tests: { ended: 'exit', exitCode: 0 } }, null],
    ['tests fail', { ...gate, tests: { ended: 'exit', exitCode: 1 } }, 'gate_failed'],
    ['tests end by a signal', { ...gate, tests: { ended: 'signal' } }, 'gate_failed'],
    ['tests cannot start', { ...gate, tests: { ended: 'not_started' } }, 'gate_failed'],
    ['tests do not end', { ...gate, tests: { ended: 'timeout' } }, 'test_timeout'],
  ] as const)('when %s', (_name, outcome, reason) => {
    expect(judge(outcome)).toEqual({ to: reason === null ? 'succeeded' : 'failed', reason });
  });
});
