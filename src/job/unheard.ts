/** A message for a worker, as far as it matters here. */
export interface Said {
  readonly id: string;
  readonly text: string;
}

/**
 * What was said to a worker and never reached its model, in order. `events` are those of its job: `steer` when its runner
 * took a message, `steer_delivered` when a request had it. `waiting` are messages that no runner has taken. Pure.
 */
export function unheard(
  events: readonly Readonly<Record<string, unknown>>[],
  waiting: readonly Said[],
): string[] {
  const heard = new Set(
    events.flatMap(({ t, ids }) => (t === 'steer_delivered' && Array.isArray(ids) ? ids : [])),
  );
  const taken = events.flatMap(({ t, id, text }) =>
    t === 'steer' && typeof id === 'string' && typeof text === 'string' ? [{ id, text }] : [],
  );
  const all = new Map([...taken, ...waiting].map(({ id, text }) => [id, text]));
  return [...all].flatMap(([id, text]) => (heard.has(id) ? [] : [text]));
}
