import { AUTH_HELP, run } from './auth/run.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = { help: AUTH_HELP, run: (context) => run(context) };
