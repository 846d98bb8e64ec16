import type { CostBasis } from './cost.ts';

/** `4m12s`, `8.2s`, `1h03m`: short, for people. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, seconds);
  if (whole < 10) return `${whole.toFixed(1)}s`;
  if (whole < 60) return `${Math.floor(whole)}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m${pad(Math.floor(whole % 60))}s`;
  return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** Two digits above a cent, `<$0.01` below; a price nobody knows is said, never shown as zero. */
export function formatMoney(usd: number | null, basis?: CostBasis): string {
  if (usd === null) return 'price unknown';
  if (usd === 0) return '$0.00';
  const text = usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;
  return basis === 'partial' ? `${text}+` : text;
}

/** The same where a sum is compared with another or typed back: below a cent, its first two digits that count. */
export function exactMoney(usd: number | null, basis?: CostBasis): string {
  if (usd === null || usd <= 0 || usd >= 0.01) return formatMoney(usd, basis);
  return `$${decimal(Number(usd.toPrecision(2)))}${basis === 'partial' ? '+' : ''}`;
}

/** A number of at least 1e-20 as people write it, never with an exponent. */
export function decimal(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}

/** One line of at most `width` characters: white space collapsed, the cut marked by the last character. */
export function trimLine(text: string, width: number): string {
  const line = oneLine(text).replace(/\s+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= width ? line : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Text from a worker, safe on a terminal: no control, bidi, tag or zero-width characters, one line. */
export function oneLine(text: string): string {
  return stripControls(text).replace(/[\n\t]/g, ' ');
}

/** Without the sequences that colour it. Before `stripControls`, which takes only the first character of each. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences begin with one
const COLOURS = /\u001b\[[0-9;]*m/g;

/** The same, keeping line breaks and tabs. */
export function stripControls(text: string): string {
  return text.replace(CONTROLS, '');
}

// C0 but \n and \t, DEL, C1, soft hyphen, zero width, bidi marks and overrides, annotations, tags and the
// variation selectors nobody writes with, lone surrogates.
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: stripping them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Surrogate}]/gu;

/** JSON text with the same characters as escapes: safe on a terminal, and still the same value. */
export function escapeControls(json: string): string {
  return json.replace(CONTROLS, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      const unit = character.charCodeAt(at).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}

/** A file name as one visible line: line breaks, tabs and the like as escapes. */
export function visiblePath(path: string): string {
  return path.replace(/[\\\n\t\r]/g, (character) => ESCAPES[character] ?? character).replace(CONTROLS, '?');
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** What people call a model: `openrouter:qwen/qwen3-coder` is `qwen3-coder`, `ollama:qwen3:8b` is `qwen3:8b`. */
export function shortModel(name: string): string {
  const model = name.slice(name.indexOf(':') + 1);
  return model.split('/').findLast((part) => part !== '') ?? name;
}

/** `1 file`, `2 files`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
