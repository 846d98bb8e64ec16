import { shortId } from '../job/ids.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { removeLine } from '../notify/line/bake.ts';
import { amendEnded } from '../store/amend-job.ts';
import { findJob } from './find-job.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate discard ID

Says that the result will not be used. Nothing is deleted: the patch stays until
cleanup.`,

  async run(context) {
    const { positionals } = parseVerb(context.args, {});
    atMost(positionals, 1);
    if (positionals[0] === undefined) throw usage('which job?', '', 'cc-delegate discard ID');
    const { store, record } = await findJob(context, positionals[0]);
    if (!isTerminal(record.state) || record.disposition === 'applied') {
      const applied = record.disposition === 'applied';
      throw new UserError({
        code: 'wrong_state',
        what: applied ? 'this result is applied' : `this job is ${record.state}`,
        value: record.id,
        remedy: applied
          ? `first: cc-delegate undo ${shortId(record.id)}`
          : `first: cc-delegate cancel ${shortId(record.id)}`,
        exit: EXIT.wrongState,
      });
    }
    amendEnded(store, record.id, Date.now(), () => ({ disposition: 'discarded' }));
    removeLine(store.repo, record.id);
    return {
      json: { id: record.id, disposition: 'discarded' },
      text: `discarded ${shortId(record.id)}; its patch is kept until: cc-delegate cleanup ${shortId(record.id)}`,
      exit: EXIT.done,
    };
  },
};
