import { shortId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { findJob } from './find-job.ts';
import { openQuestions } from './open-questions.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import { post } from './post.ts';
import { readText } from './text-input.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate answer ID TEXT [--question QID] | --text-file F | -

Answers the question a worker waits with: the oldest one, or the one named.`,

  async run(context) {
    const options = { 'text-file': { type: 'string' }, question: { type: 'string' } } as const;
    const { values, positionals } = parseVerb(context.args, options);
    const [id, ...words] = positionals;
    if (id === undefined) throw usage('which job?', '', 'cc-delegate answer ID "…"');
    if (words.length > 1) atMost(words, 1);
    const { store, record } = await findJob(context, id);
    const open = openQuestions(store, record.id).map((question) => question.id);
    if (record.question === null) {
      throw new UserError({
        code: 'no_question',
        what: `this job is ${record.state}, it has no open question`,
        value: record.id,
        remedy: `to tell a running worker something: cc-delegate steer ${shortId(record.id)} "…"`,
        exit: EXIT.wrongState,
      });
    }
    const question = values.question ?? record.question.id;
    if (question !== record.question.id && !open.includes(question)) {
      throw usage('no such open question', question, `open: ${open.join(', ') || record.question.id}`);
    }
    const text = await readText(context, {
      name: 'answer',
      words,
      file: values['text-file'],
      fileOption: 'text-file',
    });
    const message = post(store, record.id, { type: 'answer', question, text });
    return {
      json: { id: record.id, question, message },
      text: `answered ${question} of ${shortId(record.id)}; it goes on`,
      exit: EXIT.done,
    };
  },
};
