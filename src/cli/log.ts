import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '../job/states.ts';
import { EXIT } from '../job/user-error.ts';
import { readEvents } from '../store/events.ts';
import { runPaths } from '../store/paths.ts';
import { readJob } from '../store/read-job.ts';
import { type FoundRecord, findJob } from './find-job.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import { renderEvent } from './render/event.ts';
import { upToDate } from './up-to-date.ts';
import type { Verb, VerbContext } from './verb.ts';

const FOLLOW_EVERY_MS = 250;

export const verb: Verb = {
  help: `cc-delegate log ID [--follow]

What happened, event by event.

  --follow   go on printing until the job has ended`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, { follow: { type: 'boolean' } });
    atMost(positionals, 1);
    if (positionals[0] === undefined) throw usage('which job?', '', 'cc-delegate log ID');
    const found = await findJob(context, positionals[0]);
    if (values.follow === true && !context.json) {
      await follow(context, found);
      return { json: null, text: '', exit: EXIT.done };
    }
    const { events, skipped } = readEvents(runPaths(found.store, found.record.id).events);
    const notes = skipped > 0 ? [`(${skipped} torn or foreign lines left out)`] : [];
    return {
      json: { id: found.record.id, events, skipped },
      text: [...events.map(renderEvent).filter((line) => line !== null), ...notes].join('\n'),
      exit: EXIT.done,
    };
  },
};

async function follow(context: VerbContext, { store, record }: FoundRecord): Promise<void> {
  const file = runPaths(store, record.id).events;
  let from = 0;
  for (;;) {
    // The state first: what is written before the end is then certainly printed.
    const read = readJob(store, record.id);
    const ended = read.kind !== 'ok' || isTerminal((await upToDate(context, store, read.record)).state);
    const news = readEvents(file, { from });
    for (const event of news.events) {
      const line = renderEvent(event);
      if (line !== null) context.stdout(`${line}\n`);
    }
    from = news.next;
    if (ended) return;
    await sleep(FOLLOW_EVERY_MS);
  }
}
