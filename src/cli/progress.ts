import { elapsedSeconds } from '../job/summary.ts';
import { EXIT } from '../job/user-error.ts';
import { readEvents } from '../store/events.ts';
import { runPaths } from '../store/paths.ts';
import { activityOf } from './activity.ts';
import { findJob } from './find-job.ts';
import { openQuestions } from './open-questions.ts';
import { atMost, number, parseVerb, seconds, usage } from './parse.ts';
import { renderProgress } from './render/progress.ts';
import type { Verb } from './verb.ts';
import { waitForNews } from './wait-for-news.ts';

const EVENTS_READ = 400;

export const verb: Verb = {
  help: `cc-delegate progress ID [--limit 12] [--wait S]

What a job is doing: step, cost, files touched, what it did last.

  --limit N   how many activities (12)
  --wait S    wait up to S seconds for the job to end or to ask`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, {
      limit: { type: 'string' },
      wait: { type: 'string' },
    });
    atMost(positionals, 1);
    if (positionals[0] === undefined) throw usage('which job?', '', 'cc-delegate progress ID');
    const limit = number('limit', values.limit, { least: 0, whole: true }) ?? 12;
    const wait = seconds('wait', values.wait);
    const found = await findJob(context, positionals[0]);
    const record = wait === undefined ? found.record : await waitForNews(context, found, wait);
    const events = readEvents(runPaths(found.store, record.id).events, { tail: EVENTS_READ }).events;
    const { activity, partialText, filesTouched, subagents } = activityOf(events);
    const questions = openQuestions(found.store, record.id);
    const now = Date.now();
    const last = record.progress.lastActivityAt;
    const json = {
      id: record.id,
      state: record.state,
      step: record.progress.step,
      elapsedSeconds: elapsedSeconds(record, now),
      costUsd: record.costUsd,
      note: record.progress.note,
      model: record.model,
      question: questions[0] ?? record.question,
      questions,
      filesTouched,
      activity: limit === 0 ? [] : activity.slice(-limit),
      partialText,
      toolCalls: record.progress.toolCalls,
      subagents,
      lastActivitySeconds: last === null ? null : Math.max(0, Math.round((now - Date.parse(last)) / 1000)),
      usage: record.usage,
      budgetUsd: record.limits.budgetUsd,
    };
    return { json, text: renderProgress(record, json), exit: EXIT.done };
  },
};
