import { createContext, Script } from 'node:vm';
import { Refusal } from './files-result.ts';

/** Longer lines are matched by their beginning only. */
const MOST_CHARACTERS = 2_000;

const MATCH = 'texts.flatMap((text, index) => (expression.test(text) ? [index] : []))';

const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

export type Matcher = (texts: readonly string[]) => number[];

/**
 * A matcher that gives the indexes of the texts that match. A regular expression can take for ever on a short
 * line, and it runs in our own process: so all calls together may take `limitMs`, then the engine stops
 * it and a Refusal `too_slow` is thrown. `vm` is used for its time limit only, not as a wall.
 */
export function limitedMatcher(expression: RegExp, limitMs: number): Matcher {
  const script = new Script(MATCH);
  const context = createContext({ expression, texts: [] });
  let left = limitMs;
  return (texts) => {
    const started = performance.now();
    context.texts = texts.map((text) => text.slice(0, MOST_CHARACTERS));
    try {
      const found: unknown = script.runInContext(context, { timeout: Math.max(1, Math.ceil(left)) });
      return Array.isArray(found) ? found.map(Number) : [];
    } catch (error) {
      // Made in the other context, so it is no instance of our Error.
      const timedOut =
        typeof error === 'object' && error !== null && 'code' in error && error.code === TIMED_OUT;
      if (!timedOut) throw error;
      throw new Refusal('too_slow', `the pattern took more than ${limitMs} ms; use a simpler one`);
    } finally {
      left -= performance.now() - started;
    }
  };
}
