import { UserError } from '../../job/user-error.ts';

/** One line of the doctor's. `note`: worth knowing, and a job works all the same. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly note: boolean;
  readonly text: string;
  readonly remedy: string | null;
}

/** What a look found: well, or with a remedy. */
export type Finding = string | { readonly text: string; readonly remedy: string; readonly note?: true };

/** A check says what it found; what it throws for the user is what is wrong, with its remedy. */
export async function check(name: string, look: () => Finding | Promise<Finding>): Promise<Check> {
  try {
    const found = await look();
    if (typeof found === 'string') return { name, ok: true, note: false, text: found, remedy: null };
    const { text, remedy, note = false } = found;
    return { name, ok: note, note, text, remedy };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { what, value, remedy } = error.explanation;
    const text = value === undefined || value === '' ? what : `${what}; ${value}`;
    return { name, ok: false, note: false, text, remedy };
  }
}
