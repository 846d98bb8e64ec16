import * as z from 'zod';
import { answerJson } from '../../job/answer-json.ts';
import { trimLine } from '../../job/format.ts';

/** Does an answer fit its JSON schema? null: it does. Otherwise why not, for the model and for people. */
export function misfit(schema: unknown, answer: string): string | null {
  const parsed = answerJson(answer);
  if (!parsed.ok) return 'it is not one JSON value';
  const read = z.json().safeParse(schema);
  // It was looked at before the start; what cannot be read now was changed by hand.
  if (!read.success) return 'the schema itself cannot be read';
  // The form was checked when the ask was made; zod itself says what it does not understand.
  const checked = z.fromJSONSchema(read.data as z.core.JSONSchema.JSONSchema).safeParse(parsed.value);
  if (checked.success) return null;
  const [issue] = checked.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  return trimLine(`${issue?.message ?? 'it does not fit'}${where}`, 300);
}
