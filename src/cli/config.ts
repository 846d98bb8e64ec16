import { CONFIG_HELP, run } from './config/run.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = { help: CONFIG_HELP, run };
