import type { ApplyPlan } from '../job/apply-plan.ts';
import { shortId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { removeLine } from '../notify/line/bake.ts';
import { amendEnded } from '../store/amend-job.ts';
import { runPaths } from '../store/paths.ts';
import { applyResult } from '../workspace/apply/act.ts';
import { forecast } from '../workspace/apply/forecast.ts';
import { jobRef, readRef } from '../workspace/refs.ts';
import { findRepository, type Repository } from '../workspace/repository.ts';
import { committedBelow } from './base-of-task.ts';
import { claimsFolder } from './claims-folder.ts';
import type { Output } from './command.ts';
import { type FoundRecord, findNamedJob } from './find-job.ts';
import { atMost, parseVerb } from './parse.ts';
import { renderApplied, renderForecast } from './render/apply.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate apply [ID] [--check] [--only GLOB]… [--commit]
    [--allow-control-plane]

Brings a result into the checkout as staged changes: all of it or nothing. Your
own edits in other lines stay as they are; where both changed the same, nothing
happens.

  --check                 only say what would happen
  --only GLOB             take only these paths (repeatable)
  --commit                commit it as well, if nothing else is staged
  --allow-control-plane   also files that decide what runs here (CI, hooks, …)

Exit: 0 applied, or already; 1 a conflict.`,

  async run(context) {
    const options = {
      check: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      commit: { type: 'boolean' },
      'allow-control-plane': { type: 'boolean' },
    } as const;
    const { values, positionals } = parseVerb(context.args, options);
    atMost(positionals, 1);
    const found = await findNamedJob(context, positionals[0], 'any');
    const { record } = found;
    const repository = await findRepository(await targetOf(context, record));
    const wanted = {
      base: record.base,
      result: await resultOf(repository, record),
      only: values.only ?? [],
      committed: committedBelow(found.store, record),
    };
    if (values.check === true) {
      const { plan, head } = await forecast(repository, wanted);
      return {
        json: planJson(record, plan, null),
        text: renderForecast(record, plan, head),
        exit: exitOf(plan),
      };
    }
    const applied = await applyResult({
      ...wanted,
      repository,
      applied: runPaths(found.store, record.id).applied,
      claims: claimsFolder(context.env, repository),
      allowControlPlane: values['allow-control-plane'] === true,
      commitMessage: values.commit === true ? record.title : null,
    });
    const commit = applied.kind === 'applied' ? applied.commit : null;
    if (applied.kind !== 'conflict') markApplied(found);
    return {
      json: planJson(record, applied.plan, commit),
      text: renderApplied(record, applied.plan, commit),
      exit: exitOf(applied.plan),
    } satisfies Output;
  },
};

/** Where apply goes: the checkout the job was started from, or another worktree of it that we stand in. */
async function targetOf(context: VerbContext, record: JobRecord): Promise<string> {
  const here = await findRepository(context.cwd).catch((error: unknown) => {
    // Called from elsewhere by id: then it is the job's own checkout.
    if (error instanceof UserError) return null;
    throw error;
  });
  return here?.home === record.repo ? here.checkout : record.checkout;
}

async function resultOf(repository: Repository, record: JobRecord): Promise<string> {
  const result = isTerminal(record.state) ? await readRef(repository, jobRef(record.id, 'result')) : null;
  if (result !== null) return result;
  throw new UserError({
    code: isTerminal(record.state) ? 'no_result' : 'wrong_state',
    what: isTerminal(record.state)
      ? 'this job left no changes to apply'
      : `this job is ${record.state}, its result is not there yet`,
    value: record.id,
    remedy: isTerminal(record.state)
      ? `see: cc-delegate result ${shortId(record.id)}`
      : `cc-delegate wait ${shortId(record.id)}`,
    exit: EXIT.wrongState,
  });
}

function markApplied({ store, record }: FoundRecord): void {
  amendEnded(store, record.id, Date.now(), () => ({ disposition: 'applied' }));
  removeLine(store.repo, record.id);
}

function exitOf(plan: ApplyPlan): typeof EXIT.done | typeof EXIT.badNews {
  return plan.verdict === 'conflict' ? EXIT.badNews : EXIT.done;
}

function planJson(record: JobRecord, plan: ApplyPlan, commit: string | null) {
  return { id: record.id, verdict: plan.verdict, files: plan.files, controlPlane: plan.controlPlane, commit };
}
