import { expect, it } from 'vitest';
import { classify } from '../../../src/engine/http/errors.ts';
import { resetTime, resetWords } from '../../../src/engine/http/reset-time.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const HOUR = 3_600_000;

it.each([
  {
    name: 'ChatGPT, in seconds',
    text: '{"error":{"type":"usage_limit_reached","resets_in_seconds":7200}}',
    at: 2,
  },
  { name: 'ChatGPT, as a time', text: `{"resets_at":${(NOW + 2 * HOUR) / 1000}}`, at: 2 },
  {
    name: 'Anthropic: the limit with nothing left',
    headers: {
      'anthropic-ratelimit-requests-remaining': '10',
      'anthropic-ratelimit-requests-reset': '2026-11-29T12:01:00Z',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-29T13:00:00Z',
    },
    at: 1,
  },
  {
    name: 'Anthropic, unified',
    headers: { 'anthropic-ratelimit-unified-reset': `${(NOW + HOUR) / 1000}` },
    at: 1,
  },
  {
    name: 'OpenAI: durations',
    headers: {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1h30m0s',
      'x-ratelimit-remaining-tokens': '5',
      'x-ratelimit-reset-tokens': '9h',
    },
    at: 1.5,
  },
  { name: 'OpenRouter: milliseconds', headers: { 'x-ratelimit-reset': `${NOW + 3 * HOUR}` }, at: 3 },
  { name: 'nothing', headers: { 'retry-after': '5' }, at: null },
  { name: 'a time that is past', headers: { 'x-ratelimit-reset': `${NOW - HOUR}` }, at: null },
  { name: 'nonsense', headers: { 'x-ratelimit-reset': 'soon' }, text: '"resets_at":"x"', at: null },
])('reads when a limit is lifted: $name', ({ headers = {}, text = '', at }) => {
  const wanted = at === null ? null : NOW + at * HOUR;
  expect(resetTime(headers as Record<string, string>, text, NOW)).toBe(wanted);
});

it('names the time where the user is, and how far it is', () => {
  const before = process.env.TZ;
  process.env.TZ = 'America/St_Johns';
  try {
    expect(resetWords(NOW + 3 * HOUR, NOW)).toBe('resets 2026-11-29T11:30-03:30, in 3h00m');
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

it.each([
  {
    name: 'a subscription that is used up',
    status: 429,
    text: '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":10800}}',
    wanted: { kind: 'quota', retry: false },
    says: 'in 3h00m',
  },
  {
    name: 'a purse that is empty',
    status: 402,
    text: 'Insufficient credits',
    headers: { 'retry-after': '7200' },
    wanted: { kind: 'quota', retry: false },
    says: 'in 2h00m',
  },
  {
    name: 'a free day that is used up',
    status: 429,
    text: 'Rate limit exceeded: free-models-per-day',
    headers: { 'x-ratelimit-reset': `${NOW + 10 * HOUR}` },
    wanted: { kind: 'rate_limit', retryAfterMs: 10 * HOUR },
    says: 'in 10h00m',
  },
  {
    name: "Google's limit per minute",
    status: 429,
    text: 'You exceeded your current quota {"quotaId":"GenerateRequestsPerMinutePerProject"} {"retryDelay": "34s"}',
    wanted: { kind: 'rate_limit', retry: true, retryAfterMs: 34_000 },
    says: '',
  },
  {
    name: "Google's limit per day",
    status: 429,
    text: 'You exceeded your current quota {"quotaId":"GenerateRequestsPerDayPerProject"} {"retryDelay": "34s"}',
    wanted: { kind: 'quota', retry: false },
    says: '',
  },
])('tells $name', ({ status, text, headers = {}, wanted, says }) => {
  const error = classify({ status, text, headers: headers as Record<string, string> }, NOW);
  expect(error).toMatchObject(wanted);
  expect(error.message).toContain(says);
});

it.each([
  { status: 429, headers: {}, busy: true },
  { status: 529, headers: {}, busy: true },
  { status: 503, headers: { 'retry-after': '5' }, busy: true },
  { status: 503, headers: {}, busy: false },
  { status: 500, headers: {}, busy: false },
  { status: 401, headers: {}, busy: false },
])('other jobs wait as well after $status $headers: $busy', ({ status, headers, busy }) => {
  expect(classify({ status, headers: headers as Record<string, string>, text: '' }, NOW).busy).toBe(busy);
});
