import type { Grant } from '../notify/consent/grant.ts';
import type { CommandContext, Output } from './command.ts';

/** A verb may also have to know where the built program is: to start runners from it. */
export interface VerbContext extends CommandContext {
  readonly program: string;
  /** The person's consent that this call of a model has used up; it holds for all that the call does. */
  readonly consent: Grant | null;
  /** `--repo DIR` applied: where the verb acts. */
  readonly cwd: string;
  stdout(text: string): void;
}

export interface Verb {
  /** `cc-delegate <usage>`, then what it does and its options, for `--help`. */
  readonly help: string;
  run(context: VerbContext): Promise<Output>;
}
