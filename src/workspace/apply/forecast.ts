import { type ApplyPlan, mergesNeeded, planApply } from '../../job/apply-plan.ts';
import type { Repository } from '../repository.ts';
import { mergeAll } from './merge.ts';
import { type Present, readPresent, type Wanted } from './read.ts';
import { type Scratch, withScratch } from './scratch.ts';

export interface Forecast {
  readonly plan: ApplyPlan;
  /** The commit the checkout stands on; null on a branch without one. */
  readonly head: string | null;
  /** To be handed to `applyResult` as `expect`: then it applies to this very state or not at all. */
  readonly fingerprint: string;
}

/** What apply would do now (`apply --check`). Changes nothing, takes no lock, and may be out of date at once. */
export function forecast(repository: Repository, wanted: Wanted): Promise<Forecast> {
  return withScratch(repository, async (scratch) => {
    const { plan, present } = await decide(repository, wanted, scratch);
    return { plan, head: present.head, fingerprint: present.fingerprint };
  });
}

/** Reads the present state and plans on it; contents that had to be merged are in the scratch folder. */
export async function decide(
  repository: Repository,
  wanted: Wanted,
  scratch: Scratch,
): Promise<{ plan: ApplyPlan; present: Present }> {
  const present = await readPresent(repository, wanted, scratch);
  const answers = await mergeAll(repository, mergesNeeded(present.sides), scratch);
  return { plan: planApply(present.sides, answers), present };
}
