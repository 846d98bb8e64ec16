import { shortId } from '../job/ids.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { locateJob } from './find-job.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import { post } from './post.ts';
import { readText } from './text-input.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate steer ID TEXT | --text-file F | -

Tells a running worker something; it reads it before its next step. Several
messages are delivered in order.`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, { 'text-file': { type: 'string' } });
    const [id, ...words] = positionals;
    if (id === undefined) throw usage('which job?', '', 'cc-delegate steer ID "…"');
    if (words.length > 1) atMost(words, 1);
    const { store, record } = await locateJob(context, id);
    if (isTerminal(record.state)) {
      throw new UserError({
        code: 'wrong_state',
        what: `this job has ended (${record.state}), it hears nothing any more`,
        value: record.id,
        remedy: `see: cc-delegate result ${shortId(record.id)}`,
        exit: EXIT.wrongState,
      });
    }
    const text = await readText(context, {
      name: 'message',
      words,
      file: values['text-file'],
      fileOption: 'text-file',
    });
    const message = post(store, record.id, { type: 'steer', text });
    return {
      json: { id: record.id, message, queued: true },
      text: `queued for ${shortId(record.id)}: delivered before its next step`,
      exit: EXIT.done,
    };
  },
};
