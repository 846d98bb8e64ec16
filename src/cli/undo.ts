import { count } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { amendEnded } from '../store/amend-job.ts';
import { runPaths } from '../store/paths.ts';
import { listJobs } from '../store/read-job.ts';
import { undoApply } from '../workspace/apply/undo.ts';
import { findRepository } from '../workspace/repository.ts';
import { claimsFolder } from './claims-folder.ts';
import { type FoundRecord, findJob, noRepository } from './find-job.ts';
import { atMost, parseVerb } from './parse.ts';
import { storeAround } from './store-around.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate undo [ID]

Takes the last apply back, byte for byte, the index included. Refuses when a
path it touched has changed since.`,

  async run(context) {
    const { positionals } = parseVerb(context.args, {});
    atMost(positionals, 1);
    const [id] = positionals;
    const { store, record } = id === undefined ? await lastApplied(context) : await findJob(context, id);
    const here = await storeAround(context);
    const repository = await findRepository(here?.repo === record.repo ? context.cwd : record.checkout);
    const undone = await undoApply({
      repository,
      applied: runPaths(store, record.id).applied,
      claims: claimsFolder(context.env, repository),
    });
    amendEnded(store, record.id, Date.now(), () => ({ disposition: 'none' }));
    const index = undone.indexRestored ? 'and the index, byte for byte' : 'and their index entries';
    return {
      json: { id: record.id, paths: undone.paths, indexRestored: undone.indexRestored },
      text: `undone ${shortId(record.id)}: ${count(undone.paths.length, 'path')} as before, ${index}`,
      exit: EXIT.done,
    };
  },
};

async function lastApplied(context: VerbContext): Promise<FoundRecord> {
  const store = await storeAround(context);
  if (store === null) throw noRepository(context.cwd);
  const applied = listJobs(store)
    .flatMap((job) => (job.kind === 'ok' && job.record.disposition === 'applied' ? [job.record] : []))
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const [last] = applied;
  if (last) return { store, record: last };
  throw new UserError({
    code: 'nothing_to_undo',
    what: 'nothing is applied here that could be taken back',
    value: store.repo,
    remedy: 'see: cc-delegate list',
    exit: EXIT.wrongState,
  });
}
