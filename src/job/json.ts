/** The value of a JSON text; undefined, which is no JSON value, for what is none, or is nested too deeply. Never throws. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Told by the value: what makes sense of it refuses undefined.
    return undefined;
  }
}
