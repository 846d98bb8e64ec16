import { formatDuration } from '../../job/format.ts';

type Headers = Readonly<Record<string, string>>;

const LONGEST_MS = 400 * 24 * 60 * 60_000;

/**
 * When an account may be used again, in milliseconds since 1970; null where nothing says so. From the body
 * `resets_in_seconds` or `resets_at` (ChatGPT), else from headers: `anthropic-ratelimit-*-reset` (RFC 3339; seconds
 * since 1970 for `unified`), `x-ratelimit-reset-*` (a duration such as `6m0s`), `x-ratelimit-reset`. Header names
 * are lower case. Of several limits those with nothing left count, and of them the last to be lifted.
 */
export function resetTime(headers: Headers, text: string, nowMs: number): number | null {
  const times = [...inBody(text, nowMs), ...inHeaders(headers, nowMs)];
  const ahead = times.filter((at) => at > nowMs && at - nowMs < LONGEST_MS);
  return ahead.length === 0 ? null : Math.max(...ahead);
}

/** `resets 2026-11-29T18:00+01:00, in 3h00m`: the time where the user is. */
export function resetWords(atMs: number, nowMs: number): string {
  return `resets ${localTime(new Date(atMs))}, in ${formatDuration((atMs - nowMs) / 1000)}`;
}

/** `x-ratelimit-reset` alone: the one limit there is, as OpenRouter has it. Milliseconds since 1970, or null. */
export function soleReset(headers: Headers, nowMs: number): number | null {
  return numeric(headers['x-ratelimit-reset'], nowMs);
}

function inBody(text: string, nowMs: number): number[] {
  const inSeconds = /"?resets_in_seconds"?\s*:\s*"?(\d+(?:\.\d+)?)/.exec(text)?.[1];
  if (inSeconds !== undefined) return [nowMs + Number(inSeconds) * 1000];
  const at = /"?resets_at"?\s*:\s*"?(\d{10,13})\b/.exec(text)?.[1];
  return at === undefined ? [] : present(numeric(at, nowMs));
}

const RESET = /^(anthropic-ratelimit-([a-z0-9-]+-)?reset|x-ratelimit-reset(-[a-z0-9-]+)?)$/;

function inHeaders(headers: Headers, nowMs: number): number[] {
  const found = Object.entries(headers).filter(([name]) => RESET.test(name));
  const isUsedUp = ([name]: [string, string]): boolean => Number(headers[remainingOf(name)] ?? 1) <= 0;
  const usedUp = found.filter(isUsedUp);
  return (usedUp.length > 0 ? usedUp : found).flatMap(([, value]) => present(timeOf(value, nowMs)));
}

function remainingOf(name: string): string {
  return name.startsWith('x-') ? name.replace('-reset', '-remaining') : name.replace(/reset$/, 'remaining');
}

function timeOf(value: string, nowMs: number): number | null {
  const number = numeric(value, nowMs);
  if (number !== null) return number;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length > 0 && parts.map(([whole]) => whole).join('') === value.trim()) {
    return (
      nowMs + parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0)
    );
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : date;
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds or seconds since 1970, by its size; a small number is seconds from now. */
function numeric(value: string | undefined, nowMs: number): number | null {
  if (value === undefined || !/^\d+(\.\d+)?$/.test(value.trim())) return null;
  const number = Number(value);
  if (number > 1e11) return number;
  return number > 1e9 ? number * 1000 : nowMs + number * 1000;
}

function present(time: number | null): number[] {
  return time === null ? [] : [time];
}

function localTime(at: Date): string {
  const offset = -at.getTimezoneOffset();
  const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, 16);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}
