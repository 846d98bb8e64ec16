import { describe, expect, it } from 'vitest';
import {
  budgetQuestion,
  type CallCost,
  type CapHit,
  type Caps,
  capReached,
  capWords,
  markReached,
  marksPassed,
  NO_CAPS,
  parseBudgetAnswer,
} from '../../src/job/budget.ts';
import { NO_SPEND, type Spend } from '../../src/job/cost.ts';
import { makeJobId } from '../../src/job/ids.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/job/limits.ts';

const spent = (
  usd: number | null,
  tokens: number,
  basis: Spend['basis'] = usd === null ? 'unknown' : 'user',
): Spend => ({ usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 }, usd, basis });

/** May cost $0.20. */
const CALL: CallCost = {
  input: 100_000,
  maxOutput: 10_000,
  prices: { input: 1, output: 10 },
  isSubscription: false,
};

interface Case {
  readonly limits?: Partial<Limits>;
  readonly caps?: Caps;
  readonly passUpTo?: number;
  readonly today?: number;
  readonly repository?: number;
  readonly call?: CallCost;
}

function hit(job: Spend, wanted: Case = {}): CapHit | null {
  const { limits, caps = NO_CAPS, passUpTo = 0, today = 0, repository = 0, call = CALL } = wanted;
  const standing = { job, today, repository };
  return capReached({ limits: { ...DEFAULT_LIMITS, ...limits }, caps, passUpTo, standing }, call);
}

describe('the cap of a job', () => {
  it.each([
    ['nothing spent', spent(0, 0), {}, null],
    ['nothing spent, under the smallest budget', NO_SPEND, { budgetUsd: 0.00001 }, null],
    ['one call over it', spent(0.2, 100), { budgetUsd: 0.00001 }, 'job'],
    ['just not reached', spent(4.999, 100), {}, null],
    ['reached', spent(5, 100), {}, 'job'],
    ['an explicit 0', spent(0, 0), { budgetUsd: 0 }, 'job'],
    ['no price, tokens below the cap', spent(null, 4_999_999), {}, null],
    ['no price, tokens at the cap', spent(null, 5_000_000), {}, 'tokens'],
    ['a free model at the cap of tokens', spent(0, 5_000_000), {}, 'tokens'],
    ['a part without a price at the cap of tokens', spent(1, 5_000_000, 'partial'), {}, 'tokens'],
    ['a priced model far over the cap of tokens', spent(1, 50_000_000), {}, null],
  ] as const)('%s', (_name, job, limits, cap) => {
    expect(hit(job, { limits })?.cap ?? null).toBe(cap);
  });
});

describe('the caps of all jobs', () => {
  const day = { perDay: 20, perRepository: null };
  it.each([
    ['the call fits exactly', { caps: day, today: 19.8 }, null],
    ['the call could go over it', { caps: day, today: 19.81 }, 'day'],
    ['the first call of a job, when others have spent it all', { caps: day, today: 20 }, 'day'],
    ['a day that may cost nothing', { caps: { ...day, perDay: 0 } }, 'day'],
    ['a free model, when it is used up', { caps: day, today: 25, call: free() }, null],
    [
      'a subscription, when it is used up',
      { caps: day, today: 25, call: { ...CALL, isSubscription: true } },
      null,
    ],
    ['an unknown price, not used up', { caps: day, today: 19.99, call: { ...CALL, prices: null } }, null],
    ['an unknown price, used up', { caps: day, today: 20, call: { ...CALL, prices: null } }, 'day'],
    ['the repository', { caps: { perDay: 20, perRepository: 3 }, today: 1, repository: 2.9 }, 'repository'],
    ['raised by the person', { caps: day, today: 25, passUpTo: 3 }, null],
    ['raised, and that spent as well', { caps: day, today: 25, passUpTo: 1 }, 'day'],
    ['no cap at all', { today: 1e6, repository: 1e6 }, null],
  ] as const)('%s', (_name, wanted, cap) => {
    expect(hit(spent(1, 10), wanted)?.cap ?? null).toBe(cap);
  });

  function free(): CallCost {
    return { ...CALL, prices: { input: 0, output: 0 } };
  }
});

it('an unknown amount of money is never shown as none', () => {
  expect(capWords({ cap: 'tokens', most: 5, spent: 6, reserve: 0 })).toBe(
    '6 of 5 tokens used, price unknown',
  );
  const id = makeJobId(Date.parse('2026-11-29T10:00:00Z'), 7);
  const question = budgetQuestion(id, { cap: 'day', most: 20, spent: 20, reserve: 0 }, spent(null, 10));
  expect(question).toContain('(price unknown by this job)');
});

it('the question names the cap, what is spent and both answers, in what a record keeps of it', () => {
  const id = makeJobId(Date.parse('2026-11-29T10:00:00Z'), 7);
  const question = budgetQuestion(
    id,
    { cap: 'repository', most: 1234.5, spent: 1234.41, reserve: 0.21 },
    spent(456.78, 10, 'partial'),
  );
  expect(question.length).toBeLessThanOrEqual(240);
  for (const part of ['$1234.41 of $1234.50', '$0.21', '$456.78+', '--raise-budget USD', ' stop'])
    expect(question).toContain(part);
});

it.each([
  ['8', 8],
  [' $8.50 ', 8.5],
  ['raise to $8', 8],
  ['raise it to 8 usd', 8],
  ['8$', 8],
  ['0', 'stop'],
  ['stop', 'stop'],
  ['No.', 'stop'],
  ['yes', 'unclear'],
  ['8 or 9', 'unclear'],
  ['-8', 'unclear'],
  ['1e9', 'unclear'],
  ['', 'unclear'],
])('the answer "%s" says %s', (text, meaning) => {
  const answer = parseBudgetAnswer(text);
  expect(answer.kind === 'raise' ? answer.usd : answer.kind).toBe(meaning);
});

it('marks are passed once each, whatever a single call jumps over', () => {
  expect(marksPassed(0, 0.4, 1)).toEqual([]);
  expect(marksPassed(0.4, 0.5, 1)).toEqual([50]);
  expect(marksPassed(0.5, 0.79, 1)).toEqual([]);
  expect(marksPassed(0.4, 0.9, 1)).toEqual([50, 80]);
  expect(marksPassed(0.8, 2, 1)).toEqual([]);
  expect(marksPassed(null, null, 1)).toEqual([]);
  expect(markReached(1, 0)).toBeNull();
});
