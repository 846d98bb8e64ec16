/** A fence of markdown around the whole answer, as models like to put one. */
const FENCED = /^```[a-zA-Z]*[ \t]*\r?\n([\s\S]*?)\r?\n?```$/;

export type AnswerJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/** The one JSON value an answer consists of, with or without a markdown fence around it. */
export function answerJson(answer: string): AnswerJson {
  const text = answer.trim();
  const inner = FENCED.exec(text)?.[1] ?? text;
  try {
    const value: unknown = JSON.parse(inner);
    return { ok: true, value };
  } catch {
    // Prose, or JSON that was cut: both are no JSON value.
    return { ok: false };
  }
}
