import { describe, expect, it } from 'vitest';
import { classify, failureFacts, retryAfter } from '../../../src/engine/http/errors.ts';
import { giveUpMessage, retryWait } from '../../../src/engine/http/retry.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');

describe('classify', () => {
  it.each([
    { status: 401, text: '', kind: 'auth', retry: false, fallback: true },
    { status: 402, text: '', kind: 'quota', retry: false, fallback: true },
    { status: 403, text: '', kind: 'auth', retry: false, fallback: true },
    { status: 403, text: 'Insufficient credits', kind: 'quota', retry: false, fallback: true },
    { status: 403, text: 'Key limit exceeded (total limit)', kind: 'quota', retry: false, fallback: true },
    { status: 404, text: '', kind: 'bad_request', retry: false, fallback: true },
    { status: 408, text: '', kind: 'transient', retry: true, fallback: true },
    { status: 413, text: '', kind: 'overflow', retry: false, fallback: true },
    { status: 429, text: 'too many tokens per minute', kind: 'rate_limit', retry: true, fallback: true },
    { status: 429, text: 'insufficient_quota', kind: 'quota', retry: false, fallback: true },
    { status: 500, text: '', kind: 'transient', retry: true, fallback: true },
    { status: 529, text: 'overloaded', kind: 'transient', retry: true, fallback: true },
    { status: 400, text: 'tools.0: bad schema', kind: 'bad_request', retry: false, fallback: false },
    { status: 422, text: '', kind: 'bad_request', retry: false, fallback: false },
    { status: 400, text: 'The model `x` does not exist', kind: 'bad_request', retry: false, fallback: true },
    { status: 400, text: 'context_length_exceeded', kind: 'overflow', retry: false, fallback: true },
    {
      status: 400,
      text: "This model's maximum context length is 8192 tokens",
      kind: 'overflow',
      retry: false,
      fallback: true,
    },
    {
      status: 400,
      text: 'prompt is too long: 210000 tokens',
      kind: 'overflow',
      retry: false,
      fallback: true,
    },
    {
      status: 400,
      text: 'max_tokens is too large: 99999',
      kind: 'bad_request',
      retry: false,
      fallback: false,
    },
    { status: null, text: 'fetch failed ECONNREFUSED', kind: 'transient', retry: true, fallback: true },
    { status: null, text: 'prompt is too long', kind: 'overflow', retry: false, fallback: true },
  ])('takes $status "$text" for $kind', ({ status, text, ...wanted }) => {
    expect(classify({ status, headers: {}, text }, NOW)).toMatchObject(wanted);
  });
});

describe('retryAfter', () => {
  it.each([
    { headers: { 'retry-after': '3' }, ms: 3000 },
    { headers: { 'retry-after': '0' }, ms: 0 },
    { headers: { 'retry-after': 'Sun, 29 Nov 2026 12:00:10 GMT' }, ms: 10_000 },
    { headers: { 'retry-after': 'Sun, 29 Nov 2026 11:00:00 GMT' }, ms: 0 },
    { headers: { 'retry-after': 'soon' }, ms: null },
    { headers: { 'retry-after': '' }, ms: null },
    { headers: { 'retry-after-ms': '250', 'retry-after': '9' }, ms: 250 },
    { headers: {}, ms: null },
  ])('reads $headers as $ms ms', ({ headers, ms }) => {
    expect(retryAfter(headers as Record<string, string>, NOW)).toBe(ms);
  });
});

describe('failureFacts', () => {
  it('finds the code an endpoint put into an error inside a stream', () => {
    expect(failureFacts({ message: 'limited', code: 429 })).toMatchObject({
      status: 429,
      message: 'limited',
    });
  });

  it('finds the reason of a network failure', () => {
    const error = new TypeError('fetch failed', {
      cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    });
    expect(failureFacts(error).text).toContain('ECONNREFUSED');
    expect(failureFacts(error).message).toBe('fetch failed: x');
    const nameless = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const both = failureFacts(new TypeError('fetch failed', { cause: nameless }));
    expect(both.message).toBe('fetch failed: ECONNREFUSED');
  });
});

describe('retryWait', () => {
  const error = classify({ status: 500, headers: {}, text: '' }, NOW);
  const limits = { attempts: 5, capMs: 3000 };

  it.each([
    { attempt: 1, random: 0, wait: 1000 },
    { attempt: 2, random: 0, wait: 2000 },
    { attempt: 1, random: 0.5, wait: 1125 },
    { attempt: 3, random: 0, wait: 3000 },
    { attempt: 5, random: 0, wait: null },
  ])('waits $wait ms after request $attempt', ({ attempt, random, wait }) => {
    expect(retryWait(error, attempt, limits, random)).toBe(wait);
  });

  it('does not wait longer than the cap, and names the time', () => {
    const patient = classify({ status: 429, headers: { 'retry-after': '86400' }, text: 'slow' }, NOW);
    expect(retryWait(patient, 1, limits, 0)).toBeNull();
    expect(giveUpMessage(patient, 1, limits.capMs)).toContain('86400 s');
  });
});
