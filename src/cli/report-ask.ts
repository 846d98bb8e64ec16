import { isTerminal } from '../job/states.ts';
import { EXIT, type ExitCode } from '../job/user-error.ts';
import type { Output } from './command.ts';
import type { FoundRecord } from './find-job.ts';
import { readAnswer } from './read-answer.ts';
import { askFooter, renderAsked, renderFailedAsk } from './render/ask.ts';
import { startJson } from './report-task.ts';
import type { VerbContext } from './verb.ts';
import { worst } from './wait.ts';
import { waitForNews } from './wait-for-news.ts';

/** Short enough for a caller whose own commands end after two minutes. */
const WAIT_SECONDS = 100;

/**
 * What a verb that has made an ask answers: the answer alone on stdout, for a program to take; else the id, and it
 * goes on without us. `wait` is what the caller said, in seconds.
 */
export async function reportAsk(
  context: VerbContext,
  found: FoundRecord,
  notices: readonly string[],
  wait: number | undefined,
): Promise<Output> {
  const say = (line: string) => context.json || context.stderr(`cc-delegate: ${line}`);
  // Before the wait: it may be long, and where files go is to be known while they go.
  for (const line of notices) say(line);
  const record = await waitForNews(context, found, wait ?? WAIT_SECONDS);
  const base = { ...startJson(record), notices };
  if (!isTerminal(record.state)) {
    // Who did not ask to wait, or not at all, has not waited in vain.
    const exit: ExitCode = wait === undefined || wait === 0 ? EXIT.done : worst([record]);
    return { json: base, text: renderAsked(record), exit };
  }
  const answer = readAnswer(found.store, record, false);
  const json = {
    ...base,
    answer: answer.text,
    structured: answer.structured,
    answerPath: answer.text === '' ? null : answer.path,
    flags: record.result?.flags ?? [],
    usage: record.usage,
    costUsd: record.costUsd,
    costBasis: record.costBasis,
    error: record.result?.error ?? null,
  };
  say(askFooter(record));
  const text = record.state === 'succeeded' ? answer.text : renderFailedAsk(record, answer.text);
  return { json, text, exit: worst([record]) };
}
