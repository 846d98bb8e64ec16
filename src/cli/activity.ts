import type { Event } from '../store/events.ts';

export interface ActivityLine {
  readonly at: string;
  readonly tool: string;
  readonly summary: string;
  readonly ok: boolean;
  readonly ms: number;
}

export interface RecentActivity {
  readonly activity: readonly ActivityLine[];
  /** What the worker's model wrote last. */
  readonly partialText: string;
  readonly filesTouched: readonly string[];
}

/** What the newest events say about a worker: the tools it used, its last words, the files it wrote. */
export function activityOf(events: readonly Event[]): RecentActivity {
  const activity: ActivityLine[] = [];
  const files = new Set<string>();
  let partialText = '';
  for (const event of events) {
    if (event.t === 'text') partialText = text(event.text);
    if (event.t === 'touched') files.add(text(event.path));
    if (event.t !== 'tool_end') continue;
    activity.push({
      at: text(event.at),
      tool: text(event.tool),
      summary: text(event.summary),
      ok: event.ok === true,
      ms: typeof event.ms === 'number' ? event.ms : 0,
    });
  }
  return { activity, partialText, filesTouched: [...files] };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
