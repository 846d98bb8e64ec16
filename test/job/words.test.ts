import { describe, expect, it } from 'vitest';
import { capWords } from '../../src/job/budget.ts';
import {
  decimal,
  escapeControls,
  exactMoney,
  formatDuration,
  formatMoney,
  oneLine,
  shortModel,
  stripControls,
  trimLine,
  visiblePath,
} from '../../src/job/format.ts';
import { couldBeJobId, isJobId, makeJobId, matchIds, shortId } from '../../src/job/ids.ts';
import { NO_PROGRESS, NO_RESULT } from '../../src/job/record.ts';
import { FAILED_REASONS, TIMEOUT_REASONS } from '../../src/job/states.ts';
import { nextHint, reasonWords, summaryLine } from '../../src/job/summary.ts';
import { judge } from '../../src/job/verdict.ts';
import { sampleRecord } from '../store/fixtures/records.ts';

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

  it.each([
    [null, 'price unknown'],
    [0, '$0.00'],
    [0.00424, '$0.0042'],
    [0.0000001, '$0.0000001'],
    [0.00999, '$0.01'],
    [0.236, '$0.24'],
  ])('%s dollars, to be compared, as %s', (usd, text) => {
    expect(exactMoney(usd)).toBe(text);
    expect(capWords({ cap: 'job', most: usd ?? 0, spent: 0, reserve: 0 })).toBe(
      `$0.00 of ${exactMoney(usd ?? 0)} spent`,
    );
  });

  it('has part of a price marked below a cent as well', () => {
    expect(exactMoney(0.001, 'partial')).toBe('$0.001+');
  });

  it.each([
    [1e-7, '0.0000001'],
    [1e21, '1000000000000000000000'],
    [0.1, '0.1'],
    [2.5, '2.5'],
  ])('%s without an exponent is %s', (value, text) => expect(decimal(value)).toBe(text));

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

describe('what to type next', () => {
  const progress = { ...NO_PROGRESS, step: 3 };
  const files = { ...NO_RESULT, files: 2 };
  const MANY = { input: 5_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  it.each([
    ['more money', { state: 'failed', reason: 'over_budget' }, 'resume ID --raise-budget USD'],
    ['tokens', { state: 'failed', reason: 'over_budget', usage: MANY }, 'resume ID'],
    ['steps', { state: 'failed', reason: 'max_steps', result: files }, 'resume ID, or: diff ID'],
    ['an endpoint', { state: 'failed', reason: 'rate_limited' }, 'resume ID'],
    ['time', { state: 'timeout', reason: 'wall' }, 'resume ID'],
    ['an ask', { kind: 'ask', state: 'failed', reason: 'over_budget' }, 'resume ID --raise-budget USD'],
    ['its own failure', { state: 'failed', reason: 'gate_failed', result: files }, 'diff ID'],
    ['no step at all', { state: 'failed', reason: 'auth', progress: NO_PROGRESS }, 'log ID'],
    ['applied', { state: 'failed', reason: 'over_budget', disposition: 'applied' }, 'undo ID'],
  ] as const)('after an end for want of %s', (_, change, hint) => {
    const record = sampleRecord({ progress, ...change });
    expect(nextHint(record)).toBe(`cc-delegate ${hint.replaceAll('ID', shortId(record.id))}`);
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
