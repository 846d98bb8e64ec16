import type { ErrorKind } from '../engine.ts';
import { resetTime, resetWords, soleReset } from './reset-time.ts';

/** Why one request failed, and what may be done about it. */
export interface RequestError {
  readonly kind: ErrorKind;
  readonly message: string;
  /** The same request may work a little later. */
  readonly retry: boolean;
  /** Another model may do better. */
  readonly fallback: boolean;
  /** The endpoint's own word on when to come back. */
  readonly retryAfterMs: number | null;
  /** The account or the endpoint has too much to do: other jobs that use it do better to wait as well. */
  readonly busy?: boolean | undefined;
}

/** What is known of a failure, whatever library it came through. */
export interface FailureFacts {
  readonly status: number | null;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** All that the endpoint or the network said: what its kind is told from. */
  readonly text: string;
  /** The part of it to show; the text where absent. */
  readonly message?: string;
}

const OVERFLOW =
  /context[ _-]?(length|window|limit|size)|maximum context|prompt is too long|(input|prompt|request|message)s? (is |are )?too (long|large)|reduce the length|too many (input )?tokens|exceeds? (the )?(model'?s? )?(max\w* )?(input|context|token)/i;
const NO_MONEY =
  /usage[ _-]?limit[ _-]?(reached|exceeded)|key limit exceeded|insufficient[ _-]?(quota|balance|credits?|funds)|exceeded your current quota|out of credits|payment required|balance (is )?(not enough|too low)|arrears/i;
const NO_MODEL =
  /model[^.]{0,80}(not (found|exist)|does not exist|unknown|not available|no longer|deprecated|decommissioned)|no such model|unknown model|invalid model/i;

/**
 * The kind of a failure. Money and keys are no reason to wait, but one to take another model; our own
 * malformed request (400, 422) is neither. What has no status came from the network: it may pass.
 */
export function classify(facts: FailureFacts, nowMs: number): RequestError {
  const { status, text } = facts;
  const error = (kind: ErrorKind, retry: boolean, fallback = true): RequestError => ({
    kind,
    retry,
    fallback,
    message: describe(status, facts.message || text) + whenItEnds(kind, facts, nowMs),
    retryAfterMs: askedToWait(facts, nowMs),
    busy: kind === 'rate_limit' || status === 529 || (status === 503 && 'retry-after' in facts.headers),
  });
  if (status === null) {
    if (OVERFLOW.test(text)) return error('overflow', false);
    return NO_MONEY.test(text) ? error('quota', false) : error('transient', true);
  }
  // 407: a proxy on the way wants a password.
  if (status === 401 || status === 403 || status === 407)
    return error(NO_MONEY.test(text) ? 'quota' : 'auth', false);
  if (status === 402) return error('quota', false);
  if (status === 429) return isUsedUp(text) ? error('quota', false) : error('rate_limit', true);
  if (status === 413) return error('overflow', false);
  if (status === 408 || status === 409 || status === 425 || status >= 500) return error('transient', true);
  if (status === 404 || status === 410) return error('bad_request', false);
  if (OVERFLOW.test(text)) return error('overflow', false);
  if (NO_MONEY.test(text)) return error('quota', false);
  return error('bad_request', false, NO_MODEL.test(text));
}

function describe(status: number | null, text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, 300) || 'no explanation';
  return status === null ? line : `HTTP ${status}: ${line}`;
}

/** Google says of a limit per minute, too, that the quota is exceeded; it comes back in a moment. */
function isUsedUp(text: string): boolean {
  return NO_MONEY.test(text) && (RETRY_DELAY.exec(text) === null || /per[ _-]?day/i.test(text));
}

/** `RetryInfo` of google.rpc, in the body. */
const RETRY_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** The endpoint's word on when to come back, wherever it stands; milliseconds from now. */
function askedToWait({ status, headers, text }: FailureFacts, nowMs: number): number | null {
  const asked = retryAfter(headers, nowMs);
  if (asked !== null || status !== 429) return asked;
  const delay = RETRY_DELAY.exec(text)?.[1];
  if (delay !== undefined) return Number(delay) * 1000;
  const reset = soleReset(headers, nowMs);
  return reset === null ? null : Math.max(0, reset - nowMs);
}

/** When an account that is used up for now will be good again. */
function whenItEnds(kind: ErrorKind, { headers, text }: FailureFacts, nowMs: number): string {
  if (kind !== 'quota' && kind !== 'rate_limit') return '';
  const asked = kind === 'quota' ? retryAfter(headers, nowMs) : null;
  const at = resetTime(headers, text, nowMs) ?? (asked === null ? null : nowMs + asked);
  return at === null ? '' : ` (${resetWords(at, nowMs)})`;
}

/**
 * `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110, section 10.2.3), in milliseconds from
 * now; null when there is none that can be read.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const value = headers['retry-after'];
  if (value === undefined || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/** Of fetch itself, which hides the system's error in its cause. */
const WITHOUT_REASON = /^(fetch failed|terminated)$/;

/** What can be known of a thrown or streamed error: a typed one of the library, a plain object, or a string. */
export function failureFacts(error: unknown): FailureFacts {
  const fields = objectFields(error);
  const texts = [...new Set(allTexts(error, 0))];
  const [first = '', reason] = texts;
  const message = WITHOUT_REASON.test(first) && reason !== undefined ? `${first}: ${reason}` : first;
  return {
    status: statusOf(fields),
    headers: lowerCase(fields.responseHeaders),
    text: texts.join(' '),
    message,
  };
}

/** The status of a typed error, or the code which OpenRouter and others put into an error inside a 200 stream. */
function statusOf(fields: Record<string, unknown>): number | null {
  for (const value of [fields.statusCode, fields.status, fields.code]) {
    const code = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    // A 200 that failed is a body that cannot be read: not an answer of the endpoint about the request.
    if (typeof code === 'number' && code >= 400 && code < 600) return code;
  }
  return null;
}

function allTexts(error: unknown, depth: number): string[] {
  if (typeof error === 'string') return [error];
  const fields = objectFields(error);
  const own = [fields.message, fields.code, fields.type, fields.responseBody].filter(
    (value): value is string => typeof value === 'string' && value !== '',
  );
  const inner = depth < 3 ? [fields.cause, fields.error].flatMap((value) => allTexts(value, depth + 1)) : [];
  return [...own, ...inner];
}

function objectFields(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  const { message, cause, code } = value as Record<string, unknown>;
  return { ...value, message, cause, code };
}

function lowerCase(headers: unknown): Record<string, string> {
  const entries = Object.entries(objectFields(headers)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
