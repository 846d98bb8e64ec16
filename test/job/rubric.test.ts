import { describe, expect, it } from 'vitest';
import { checkVerdict, type GivenVerdict, type JudgedCriterion, placesIn } from '../../src/job/rubric.ts';

const CRITERIA = ['a() returns 1', 'The tests pass.'];
const seen = {
  exists: ({ path, line }: { path: string; line: number }) => path === 'src/a.ts' && line <= 9,
  tested: true,
};

const A: JudgedCriterion = { text: 'a() returns 1', pass: true, evidence: 'src/a.ts:3 returns it' };
const B: JudgedCriterion = { text: 'The tests pass.', pass: true, evidence: 'the test output says 3 passed' };
const GOOD: GivenVerdict = { verdict: 'satisfied', explanation: 'all holds', criteria: [A, B] };

describe('a verdict is taken', () => {
  it.each<[string, GivenVerdict]>([
    ['with everything in its place', GOOD],
    [
      'in another order, with the numbers',
      {
        ...GOOD,
        criteria: [
          { ...B, text: '2. the tests pass' },
          { ...A, text: '1' },
        ],
      },
    ],
    [
      'that asks for more',
      { ...GOOD, verdict: 'needs_revision', criteria: [A, { ...B, pass: false, evidence: 'two fail' }] },
    ],
    [
      'that names a missing file of a failed criterion',
      {
        ...GOOD,
        verdict: 'failed',
        criteria: [{ ...A, pass: false, evidence: 'src/none.ts:1 is missing' }, B],
      },
    ],
  ])('%s', (_, given) => {
    const checked = checkVerdict(CRITERIA, given, seen);
    expect(checked).toMatchObject({ ok: true, verdict: { verdict: given.verdict } });
    expect(checked.ok && checked.verdict.criteria.map(({ text }) => text)).toEqual(CRITERIA);
  });
});

describe('a verdict is sent back', () => {
  it.each<[string, Partial<GivenVerdict>, RegExp]>([
    ['that leaves a criterion out', { criteria: [A] }, /criterion 2 .* is not judged/],
    ['that judges one twice', { criteria: [A, A, B] }, /judged 2 times/],
    ['that makes one up', { criteria: [A, B, { ...A, text: 'it is nice' }] }, /no criterion "it is nice"/],
    ['satisfied with a failed one', { criteria: [A, { ...B, pass: false }] }, /"satisfied", but 1/],
    ['needs_revision with nothing to revise', { verdict: 'needs_revision' }, /every criterion passed/],
    ['failed with nothing that failed', { verdict: 'failed' }, /every criterion passed/],
    ['without a word', { explanation: ' ' }, /explanation is empty/],
    ['without evidence', { criteria: [{ ...A, evidence: '' }, B] }, /criterion 1 has no evidence/],
    [
      'with an opinion for evidence',
      { criteria: [{ ...A, evidence: 'looks right to me' }, B] },
      /without evidence/,
    ],
    [
      'with a line that is not there',
      { criteria: [{ ...A, evidence: 'src/a.ts:10' }, B] },
      /no line 10 of src\/a.ts/,
    ],
    [
      'with a file that is not there',
      { criteria: [{ ...A, evidence: 'src/a.ts:1 and lib/b.ts:2' }, B] },
      /lib\/b.ts/,
    ],
    [
      'that failed a criterion without saying what is missing',
      { verdict: 'needs_revision', criteria: [{ ...A, pass: false, evidence: '-' }, B] },
      /no evidence/,
    ],
    ['with a time for a place', { criteria: [{ ...A, evidence: 'seen at 12:30' }, B] }, /without evidence/],
  ])('%s', (_, change, problem) => {
    const checked = checkVerdict(CRITERIA, { ...GOOD, ...change }, seen);
    expect(checked.ok).toBe(false);
    expect(!checked.ok && checked.problems.join('\n')).toMatch(problem);
  });

  it('with the output of tests that never ran', () => {
    expect(checkVerdict(CRITERIA, GOOD, { ...seen, tested: false }).ok).toBe(false);
  });
});

it('finds the places a text names', () => {
  expect(placesIn('see `my file.ts:12`, (src/a.ts:3-5), ./b.py:7; Makefile:2. http://x:80 at 9:30')).toEqual([
    { path: 'my file.ts', line: 12 },
    { path: 'src/a.ts', line: 3 },
    { path: 'b.py', line: 7 },
    { path: 'Makefile', line: 2 },
    { path: '//x', line: 80 },
    { path: '9', line: 30 },
  ]);
});

it.each([
  ['(src/a.ts:12)', 'src/a.ts', 12],
  ['[src/a.ts:12](x)', 'src/a.ts', 12],
  ['as f(src/b.ts:3) shows', 'src/b.ts', 3],
  ['app/(auth)/page.tsx:3', 'app/(auth)/page.tsx', 3],
  ['src/routes/[[lang]]/+page.svelte:9', 'src/routes/[[lang]]/+page.svelte', 9],
])('finds the place in %s', (text, path, line) => {
  expect(placesIn(text)).toEqual([{ path, line }]);
});
