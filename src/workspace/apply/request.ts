import type { Repository } from '../repository.ts';
import type { Wanted } from './read.ts';

/** Called before each step with its name, so that a test can stop the process right there. */
export type Pause = (step: string) => void | Promise<void>;

export interface ApplyRequest extends Wanted {
  readonly repository: Repository;
  /** The job's `applied` folder: journals and saved bytes, for undo. */
  readonly applied: string;
  /** The folder of claims, the same for all jobs of a checkout. */
  readonly claims: string;
  readonly allowControlPlane: boolean;
  /** Commit the result as the user, with this message; null leaves it staged. */
  readonly commitMessage: string | null;
  /** A forecast's fingerprint: refuse if anything has changed since. */
  readonly expect?: string;
  /** For tests: called before each step. */
  readonly pause?: Pause;
}
