import { randomUUID } from 'node:crypto';
import type { ApplyPlan } from '../../job/apply-plan.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import { errorCode } from '../../store/storage-error.ts';
import { type Claim, takeClaim } from './claim.ts';
import { decide } from './forecast.ts';
import { recoverJournals } from './recover.ts';
import type { ApplyRequest } from './request.ts';
import { withScratch } from './scratch.ts';
import { transact } from './transaction.ts';

export type Applied =
  | { readonly kind: 'applied'; readonly plan: ApplyPlan; readonly commit: string | null }
  | { readonly kind: 'already_applied'; readonly plan: ApplyPlan }
  | { readonly kind: 'conflict'; readonly plan: ApplyPlan };

/**
 * Brings a result into the checkout as staged changes, all of it or nothing: any error takes back what was
 * done, and what a killed process left is taken back by the next call. A conflict changes nothing and is
 * an answer. UserError: exit 4 another apply or git is at work; exit 5 control-plane paths without the
 * user's word; exit 1 something changed meanwhile, or `--commit` with other things staged; exit 6 storage.
 */
export async function applyResult(request: ApplyRequest): Promise<Applied> {
  const { repository } = request;
  return withClaim(request, (claim) =>
    withScratch(repository, async (scratch) => {
      const { plan, present } = await decide(repository, request, scratch);
      if (request.expect !== undefined && request.expect !== present.fingerprint) throw changedSince();
      if (plan.verdict !== 'clean') return { kind: plan.verdict, plan };
      if (plan.controlPlane.length > 0 && !request.allowControlPlane) throw controlPlane(plan.controlPlane);
      const commit = await transact(request, { plan, present, scratch, token: claim.token });
      return { kind: 'applied', plan, commit };
    }),
  );
}

/** Runs `use` with the checkout to ourselves, after anything a dead process left was put right. */
export async function withClaim<T>(
  places: Pick<ApplyRequest, 'repository' | 'applied' | 'claims' | 'pause'>,
  use: (claim: Claim) => Promise<T>,
): Promise<T> {
  const { repository, applied, claims } = places;
  await places.pause?.('claim');
  const claim = takeClaim(repository, { claims, journal: applied }, randomUUID());
  try {
    await places.pause?.('recover');
    for (const journals of claim.journals) await recoverJournals(repository, journals);
    return await use(claim);
  } catch (error) {
    throw explain(error, repository.checkout);
  } finally {
    claim.release();
  }
}

const STORAGE = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EFBIG', 'EMFILE', 'ENFILE'];

/** A disk that is full or closed to us is the user's to put right; any other error stays what it is. */
function explain(error: unknown, checkout: string): unknown {
  const code = errorCode(error);
  if (error instanceof UserError || code === null || !STORAGE.includes(code)) return error;
  const path = error instanceof Error && 'path' in error ? String(error.path) : checkout;
  return new UserError(
    {
      code: 'storage',
      what: 'a file could not be read or written; what was done so far is taken back',
      value: `${path} (${code})`,
      remedy: 'make room, or give yourself access to this path, then try again',
      exit: EXIT.environment,
    },
    { cause: error },
  );
}

/** Takes back, or finishes, what a killed apply or undo left. Nothing to do is no error. */
export async function recoverApply(
  places: Pick<ApplyRequest, 'repository' | 'applied' | 'claims'>,
): Promise<void> {
  await withClaim(places, async () => undefined);
}

function controlPlane(paths: readonly string[]): UserError {
  return new UserError({
    code: 'control_plane',
    what: 'the result changes files that decide what runs here, or links out of the repository',
    value: paths.join(', '),
    remedy: 'read them first (cc-delegate diff), then add --allow-control-plane',
    exit: EXIT.refused,
  });
}

function changedSince(): UserError {
  return new UserError({
    code: 'changed_meanwhile',
    what: 'the checkout changed since it was looked at; nothing was changed',
    remedy: 'try again: cc-delegate apply',
    exit: EXIT.badNews,
  });
}
