import { parseDuration } from '../job/duration.ts';
import { SpendSum } from '../job/spend-summary.ts';
import { EXIT } from '../job/user-error.ts';
import { userDirectory } from '../store/paths.ts';
import { offsetBefore, scanSpend, spendPath } from '../store/spend-file.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import { renderSpend, type SpendView, spendJson } from './render/spend.ts';
import { supervisorPrice } from './spend/supervisor.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate spend [--since 7d|2026-11-01]

What was spent, of every repository: by model, by day, by repository, and what
it would have cost with the model of your sessions (setting supervisorModel).
Calls of unknown price are counted and never taken for free.

  --since WHEN   a time such as 12h or 7d, or a day; everything otherwise`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, { since: { type: 'string' } });
    atMost(positionals, 0);
    const since = sinceOf(values.since, Date.now());
    const userDir = userDirectory(context.env);
    const supervisor = await supervisorPrice(context.env);
    const sum = new SpendSum(supervisor.found?.prices ?? null);
    const { skipped } = scanSpend(userDir, since === null ? 0 : offsetBefore(userDir, since), (record) => {
      if (since === null || Date.parse(record.at) >= since) sum.add(record);
    });
    const view: SpendView = {
      summary: sum.summary,
      since: since === null ? null : new Date(since),
      supervisor,
      file: spendPath(userDir),
      skipped,
    };
    return { json: spendJson(view), text: renderSpend(view), exit: EXIT.done };
  },
};

/** Milliseconds since 1970; null: from the beginning. */
function sinceOf(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim());
  const at = day && startOfDay(Number(day[1]), Number(day[2]), Number(day[3]));
  if (at !== null) return at;
  const seconds = /[smhd]$/.test(text.trim()) ? parseDuration(text) : null;
  const before = seconds === null ? Number.NaN : nowMs - seconds * 1000;
  // Nothing was spent before 1970, and a date has an end.
  if (before >= 0) return before;
  throw usage('--since takes a time or a day', text, 'e.g. --since 7d, or --since 2026-11-01');
}

/** Where the user is; null for a day that no calendar has. */
function startOfDay(year: number, month: number, day: number): number | null {
  const date = new Date(year, month - 1, day);
  const isReal = date.getFullYear() === year && date.getMonth() === month - 1 && date.getDate() === day;
  return isReal ? date.getTime() : null;
}
