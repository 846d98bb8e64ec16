import { shortId } from '../job/ids.ts';
import { isTerminal } from '../job/states.ts';
import { statusOf } from '../job/summary.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { signalRunner } from '../store/liveness.ts';
import { type FoundRecord, findNamedJob } from './find-job.ts';
import { atMost, parseVerb } from './parse.ts';
import { post } from './post.ts';
import { jobTable } from './render/job-table.ts';
import type { Verb, VerbContext } from './verb.ts';
import { waitUntil } from './wait-for-news.ts';

// TERM, a grace, KILL, then the work is taken in: more than that is a runner that hangs.
const PATIENCE_SECONDS = 60;

export const verb: Verb = {
  help: `cc-delegate cancel [ID] [--force]

Stops the worker and everything it started; what it did so far is kept. Without
an id: the only active job of this session.

  --force   kill the runner itself; its work is then salvaged`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, { force: { type: 'boolean' } });
    atMost(positionals, 1);
    const found = await findNamedJob(context, positionals[0], 'active');
    const { record } = found;
    if (record.state === 'cancelled') {
      return {
        json: statusOf(record, Date.now()),
        text: `${shortId(record.id)} is cancelled already`,
        exit: EXIT.done,
      };
    }
    if (isTerminal(record.state)) {
      throw new UserError({
        code: 'wrong_state',
        what: `this job has ended already (${record.state})`,
        value: record.id,
        remedy: `see: cc-delegate result ${shortId(record.id)}`,
        exit: EXIT.wrongState,
      });
    }
    const ended = values.force === true ? await kill(context, found) : await ask(context, found);
    return { json: statusOf(ended, Date.now()), text: jobTable([ended], Date.now()), exit: EXIT.done };
  },
};

async function ask(context: VerbContext, found: FoundRecord) {
  post(found.store, found.record.id, { type: 'cancel' });
  const ended = await waitUntil(context, found, PATIENCE_SECONDS, (record) => isTerminal(record.state));
  if (isTerminal(ended.state)) return ended;
  throw new UserError({
    code: 'not_cancelled',
    what: `the runner does not react (pid ${ended.runner?.pid ?? 'unknown'})`,
    value: ended.id,
    remedy: `cc-delegate cancel ${shortId(ended.id)} --force kills it; the work is salvaged`,
    exit: EXIT.wrongState,
  });
}

/** The identity is checked again right before the signal: nobody else's process is ever hit. */
async function kill(context: VerbContext, found: FoundRecord) {
  if (found.record.runner !== null) signalRunner(found.record.runner, 'SIGKILL');
  return waitUntil(context, found, PATIENCE_SECONDS, (record) => isTerminal(record.state));
}
