import { trimLine } from '../../job/format.ts';
import type { Event } from '../../store/events.ts';

/** What a person wants to see of an event while the worker works; null for the rest. */
export function stepLine(event: Event): string | null {
  switch (event.t) {
    case 'progress':
      return `says       ${text(event.text)}`;
    case 'tool_end':
      return event.tool === 'report_progress'
        ? null
        : `${text(event.tool).padEnd(10)} ${trimLine(text(event.summary), 65)}`;
    case 'text':
      return `says       ${trimLine(text(event.text), 65)}`;
    case 'gate':
      return 'gate       a clean checkout of its result, and the test command in it';
    case 'ended':
      return `ended      ${text(event.state)}`;
    default:
      return null;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
