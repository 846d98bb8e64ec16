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
  readonly subagents: readonly SubAgentLine[];
}

/** A sub-agent, e.g. `tester#2`, as far as the newest events tell. */
export interface SubAgentLine {
  readonly name: string;
  readonly role: string;
  readonly steps: number;
  readonly toolCalls: number;
}

/** What the newest events say about a worker: the tools it used, its last words, the files it wrote. */
export function activityOf(events: readonly Event[]): RecentActivity {
  const activity: ActivityLine[] = [];
  const files = new Set<string>();
  let partialText = '';
  for (const event of events) {
    // What a sub-agent or the grader writes has an agent's name.
    if (event.t === 'text' && event.agent === undefined) partialText = text(event.text);
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
  return { activity, partialText, filesTouched: [...files], subagents: subAgentsOf(events) };
}

function subAgentsOf(events: readonly Event[]): SubAgentLine[] {
  const found = new Map<string, { steps: number; toolCalls: number }>();
  for (const { t, agent } of events) {
    const name = text(agent);
    if (!name.includes('#')) continue;
    const seen = found.get(name) ?? { steps: 0, toolCalls: 0 };
    if (t === 'step_start') seen.steps += 1;
    if (t === 'tool_start') seen.toolCalls += 1;
    found.set(name, seen);
  }
  return [...found].map(([name, seen]) => ({ name, role: name.split('#')[0] ?? name, ...seen }));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
