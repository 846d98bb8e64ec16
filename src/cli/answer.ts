import { decimal } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { findJob } from './find-job.ts';
import { moneyAnswer } from './money-answer.ts';
import { openQuestions } from './open-questions.ts';
import { atMost, number, parseVerb, usage } from './parse.ts';
import { post } from './post.ts';
import { readText } from './text-input.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate answer ID TEXT [--question QID] | --text-file F | -
cc-delegate answer ID --raise-budget USD

Answers the question a worker waits with: the oldest one, or the one named.

  --raise-budget USD   for a job at a cap: what it may spend in all, what it has
                       spent included; "stop" in place of it ends the job`,

  async run(context) {
    const string = { type: 'string' } as const;
    const options = { 'text-file': string, question: string, 'raise-budget': string } as const;
    const { values, positionals } = parseVerb(context.args, options);
    const [id, ...words] = positionals;
    if (id === undefined) throw usage('which job?', '', 'cc-delegate answer ID "…"');
    if (words.length > 1) atMost(words, 1);
    const { store, record } = await findJob(context, id);
    const raise = number('raise-budget', values['raise-budget'], { least: 0, whole: false });
    const waiting = openQuestions(store, record.id);
    const open = waiting.map((question) => question.id);
    if (record.question === null) throw noQuestion(record);
    const aboutMoney = waiting.find(({ kind }) => kind === 'budget')?.id;
    const question = values.question ?? (raise === undefined ? undefined : aboutMoney) ?? record.question.id;
    if (question !== record.question.id && !open.includes(question)) {
      throw usage('no such open question', question, `open: ${open.join(', ') || record.question.id}`);
    }
    const from = { name: 'answer', words, file: values['text-file'], fileOption: 'text-file' };
    const said = raise === undefined ? await readText(context, from) : amountAlone(raise, from);
    const kind = waiting.find(({ id }) => id === question)?.kind ?? record.question.kind;
    const text = kind === 'budget' ? moneyAnswer(context, record, said, raise) : said;
    if (kind !== 'budget' && raise !== undefined) {
      const remedy = `answer it: cc-delegate answer ${shortId(record.id)} "…"`;
      throw usage('--raise-budget is for a job at a cap; this question is another one', question, remedy);
    }
    const isEnd = kind === 'budget' && text === 'stop';
    const message = post(store, record.id, { type: 'answer', question, text });
    return {
      json: { id: record.id, question, message },
      text: `answered ${question} of ${shortId(record.id)}; ${isEnd ? 'it ends, and its work is kept' : 'it goes on'}`,
      exit: EXIT.done,
    };
  },
};

function noQuestion({ id, state }: JobRecord): UserError {
  const ended = isTerminal(state);
  const verb = ended ? 'followup' : 'steer';
  return new UserError({
    code: 'no_question',
    what: ended
      ? `this job has ended (${state}), it asks nothing any more`
      : `this job is ${state}, it has no open question`,
    value: id,
    remedy: `to tell ${ended ? 'its' : 'a running'} worker something: cc-delegate ${verb} ${shortId(id)} "…"`,
    exit: EXIT.wrongState,
  });
}

function amountAlone(usd: number, from: { words: readonly string[]; file: string | undefined }): string {
  if (from.words.length === 0 && from.file === undefined) return decimal(usd);
  throw usage('--raise-budget is the whole answer', from.words[0] ?? '', 'leave the text out');
}
