import { type Explanation, UserError } from '../../src/job/user-error.ts';

/** What a call refuses to do, for a look at its parts. Fails the test when it does not refuse. */
export async function refusal(act: () => unknown): Promise<Explanation & { readonly message: string }> {
  try {
    await act();
  } catch (error) {
    if (error instanceof UserError) return { ...error.explanation, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}
