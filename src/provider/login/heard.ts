type Listener = (token: string) => void;

const listeners = new Set<Listener>();
const heard = new Set<string>();

/**
 * Calls `listener` once with every token that is used in this process, before it is, and now with those that were
 * before: the runner hides them from all that it writes.
 */
export function onToken(listener: Listener): void {
  listeners.add(listener);
  for (const token of heard) listener(token);
}

/** Tells the listeners. */
export function hearTokens(tokens: readonly string[]): void {
  for (const token of tokens) {
    if (heard.has(token)) continue;
    heard.add(token);
    for (const listener of listeners) listener(token);
  }
}
