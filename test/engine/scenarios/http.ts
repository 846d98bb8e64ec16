import { expect } from 'vitest';
import { eventsOf } from '../harness.ts';
import { DONE, done, failed, READ, type Row, thenDone, twice, WRITE } from './row.ts';

/** Answers that are an HTTP status. */
export const HTTP_ROWS: readonly Row[] = [
  {
    scenario: 'two tools, then the end',
    script: thenDone(WRITE, READ),
    wanted: done,
    requests: 3,
    log: ['wrote a.txt', 'content of a.txt'],
  },
  {
    scenario: 'an answer that thinks first',
    script: thenDone({ ...WRITE, thinking: 'hmm' }),
    wanted: done,
    requests: 2,
    also: ({ events }) => expect(eventsOf(events, 'thinking').length).toBeGreaterThan(0),
  },
  {
    scenario: '401 without a fallback',
    script: [{ status: 401, body: { error: { message: 'bad key' } } }],
    wanted: failed('auth'),
    requests: 1,
    waits: [],
  },
  {
    scenario: '401, then the fallback model',
    script: [{ status: 401 }],
    fallback: [DONE],
    wanted: done,
    requests: 1,
    waits: [],
  },
  {
    scenario: '402, then the fallback model',
    script: [{ status: 402 }],
    fallback: [DONE],
    wanted: done,
    requests: 1,
  },
  { scenario: '403 without a fallback', script: [{ status: 403 }], wanted: failed('auth'), requests: 1 },
  {
    scenario: '404, the model is gone, then the fallback model',
    script: [{ status: 404 }],
    fallback: [DONE],
    wanted: done,
    requests: 1,
  },
  {
    scenario: 'our own 400: no fallback',
    script: [{ status: 400, body: { error: { message: 'bad tool schema' } } }],
    fallback: [DONE],
    wanted: failed('bad_request'),
    requests: 1,
  },
  {
    scenario: '429 with Retry-After 3, twice',
    script: thenDone(...twice({ status: 429, headers: { 'retry-after': '3' } })),
    wanted: done,
    requests: 3,
    waits: [3000, 3000],
  },
  {
    scenario: '429 for ever',
    script: [{ status: 429 }],
    wanted: failed('rate_limit'),
    requests: 3,
    waits: [1000, 2000],
    also: ({ events }) => expect(eventsOf(events, 'spend')).toEqual([]),
  },
  {
    scenario: '429 with a Retry-After above the cap',
    script: [{ status: 429, headers: { 'retry-after': '86400' } }],
    wanted: failed('rate_limit'),
    requests: 1,
    waits: [],
    also: ({ outcome }) => expect(JSON.stringify(outcome)).toContain('86400 s'),
  },
  {
    scenario: '429 above the cap, then the fallback model',
    script: [{ status: 429, headers: { 'retry-after': '300' } }],
    fallback: [DONE],
    wanted: done,
    requests: 1,
    waits: [],
  },
  {
    scenario: '429 that means an empty purse',
    script: [
      {
        status: 429,
        body: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
      },
    ],
    wanted: failed('quota'),
    requests: 1,
  },
  { scenario: '500 once', script: thenDone({ status: 500 }), wanted: done, requests: 2 },
  { scenario: '500 for ever', script: [{ status: 500 }], wanted: failed('transient'), requests: 3 },
  {
    scenario: '500 for ever, then the fallback model',
    script: [{ status: 500 }],
    fallback: [DONE],
    wanted: done,
    requests: 3,
  },
];
