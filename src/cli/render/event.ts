import { oneLine, trimLine } from '../../job/format.ts';
import type { Event } from '../../store/events.ts';

/** One event as one line of 80 columns: time, kind, and its fields. */
export function renderEvent(event: Event): string {
  const time = /T(\d\d:\d\d:\d\d)/.exec(plain(event.at))?.[1] ?? '??:??:??';
  return trimLine(`${time} ${oneLine(plain(event.t)).padEnd(15)} ${fields(event)}`, 80);
}

function fields({ at: _at, t: _t, ...rest }: Event): string {
  return Object.entries(rest)
    .filter(([, value]) => value !== null && value !== '' && value !== undefined)
    .map(([name, value]) => (WORTH_NO_NAME.has(name) ? plain(value) : `${name}=${plain(value)}`))
    .join(' ');
}

const WORTH_NO_NAME = new Set(['text', 'summary', 'tool', 'message', 'command', 'path']);

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
