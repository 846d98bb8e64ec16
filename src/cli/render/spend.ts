import { totalTokens } from '../../job/cost.ts';
import { count, exactMoney, formatMoney, trimLine, visiblePath } from '../../job/format.ts';
import { localDay } from '../../job/spend-record.ts';
import type { Bucket, SpendSummary } from '../../job/spend-summary.ts';
import type { Supervisor } from '../spend/supervisor.ts';
import { fold } from './fold.ts';

export interface SpendView {
  readonly summary: SpendSummary;
  readonly since: Date | null;
  readonly supervisor: Supervisor;
  readonly file: string;
  /** Lines of the file that are none of ours. */
  readonly skipped: number;
}

const WIDTH = 80;
const NAME = 51;
const MODELS = 12;
const DAYS = 14;
const REPOSITORIES = 8;
const ASSUMPTION = 'the same tokens at its price, cache as billed';

/** The object of `spend --json`. An amount nobody knows is null. */
export function spendJson({ summary, since, supervisor, file, skipped }: SpendView) {
  const { total, subscription, compared } = summary;
  const { usd: _, ...totals } = bucketJson(total);
  const rows = (buckets: ReadonlyMap<string, Bucket>, key: string) =>
    [...buckets].map(([name, bucket]) => ({ [key]: name, ...bucketJson(bucket) }));
  return {
    since: since?.toISOString() ?? null,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    totalUsd: billed(total),
    ...totals,
    subscription: { calls: subscription.calls, tokens: totalTokens(subscription.usage) },
    byModel: rows(dearestFirst(summary.byModel), 'model'),
    byDay: rows(newestFirst(summary.byDay), 'day'),
    byRepository: rows(dearestFirst(summary.byRepository), 'repo'),
    savings:
      supervisor.found === null
        ? null
        : {
            supervisorModel: supervisor.model,
            isDefault: !supervisor.isSet,
            prices: supervisor.found.prices,
            priceSource: supervisor.found.source,
            assumption: ASSUMPTION,
            calls: compared.calls,
            spentUsd: compared.spentUsd,
            wouldHaveCostUsd: compared.otherUsd,
            savedUsd: compared.otherUsd - compared.spentUsd,
          },
    file,
    skippedLines: skipped,
  };
}

function bucketJson(bucket: Bucket) {
  return { ...bucket, usd: billed(bucket), tokens: totalTokens(bucket.usage) };
}

/** US dollars. What a subscription includes is billed nothing; null: no call of these has a known price. */
function billed({ usd, unpricedCalls }: Bucket): number | null {
  return usd ?? (unpricedCalls === 0 ? 0 : null);
}

/** What was spent as tables of 80 columns, then what it saved, and on which assumption. */
export function renderSpend(view: SpendView): string {
  const { summary, since, file, skipped } = view;
  const { total, subscription } = summary;
  const from = since === null ? '' : ` since ${localDay(since)}`;
  if (total.calls === 0) return [`nothing was spent${from}`, ...record(file, skipped)].join('\n');
  return [
    `${total.usd === null && total.unpricedCalls === 0 ? 'nothing billed' : formatMoney(total.usd, basisOf(total))}${from} in ${count(total.calls, 'call')}${unpricedWords(total)}, ${tokens(total)} tokens`,
    '',
    ...table('MODEL', [...dearestFirst(summary.byModel)], MODELS, 'models'),
    '',
    ...table('DAY', [...newestFirst(summary.byDay)], DAYS, 'days before'),
    '',
    ...table(
      'REPOSITORY',
      [...dearestFirst(summary.byRepository)].map(shortPath),
      REPOSITORIES,
      'repositories',
    ),
    '',
    ...(subscription.calls === 0
      ? []
      : field('included', `${count(subscription.calls, 'call')} of a subscription, not billed by the call`)),
    ...(total.estimatedCalls === 0
      ? []
      : field(
          'estimated',
          `the tokens of ${count(total.estimatedCalls, 'call')}: the endpoint reported none`,
        )),
    ...savings(view),
    ...record(file, skipped),
  ].join('\n');
}

function savings({ summary: { compared }, supervisor }: SpendView): string[] {
  const { model, isSet, found } = supervisor;
  const change = 'another model: cc-delegate config set supervisorModel P:M';
  if (found === null) return field('saved', `unknown: no price of ${model} is known; ${change}`);
  const { spentUsd, otherUsd, calls } = compared;
  if (calls === 0) return field('saved', 'unknown: no call has a known price');
  const saved = otherUsd - spentUsd;
  const share = otherUsd === 0 ? '' : ` (${Math.round((Math.abs(saved) / otherUsd) * 100)} %)`;
  const words =
    saved >= 0
      ? `${formatMoney(saved)} of ${formatMoney(otherUsd)}${share} against ${model}`
      : `nothing: ${formatMoney(-saved)} more than with ${model}`;
  const { prices, source } = found;
  const price = `${exactMoney(prices.input)} in, ${exactMoney(prices.output)} out per M, ${source}`;
  return [
    ...field('saved', words),
    ...field('assumed', `${ASSUMPTION} (${price}); ${count(calls, 'priced call')}`),
    ...(isSet ? [] : field('', change)),
  ];
}

function record(file: string, skipped: number): string[] {
  const broken = skipped === 0 ? '' : ` (${count(skipped, 'broken line')} left out)`;
  return field('record', `${visiblePath(file)}${broken}`);
}

function table(
  title: string,
  rows: readonly (readonly [string, Bucket])[],
  most: number,
  nouns: string,
): string[] {
  const more = rows.length - most;
  return [
    line(title, 'CALLS', 'TOKENS', 'COST'),
    ...rows.slice(0, most).flatMap(([name, bucket]) => row(visiblePath(name), bucket)),
    ...(more > 0 ? [`+${more} ${nouns}`] : []),
  ];
}

function row(name: string, bucket: Bucket): string[] {
  const numbers = [String(bucket.calls), tokens(bucket), cost(bucket)] as const;
  if ([...name].length <= NAME) return [line(name, ...numbers)];
  // A name that is cut could not be copied.
  return [trimLine(name, WIDTH), line('', ...numbers)];
}

function line(name: string, calls: string, used: string, usd: string): string {
  return `${name.padEnd(NAME)} ${calls.padStart(7)} ${used.padStart(8)} ${usd.padStart(11)}`;
}

function cost(bucket: Bucket): string {
  if (bucket.usd !== null) return formatMoney(bucket.usd, basisOf(bucket));
  return bucket.unpricedCalls > 0 ? 'unknown' : 'included';
}

function basisOf({ usd, unpricedCalls }: Bucket): 'partial' | 'table' {
  return usd !== null && unpricedCalls > 0 ? 'partial' : 'table';
}

function unpricedWords({ unpricedCalls }: Bucket): string {
  return unpricedCalls === 0 ? '' : `, ${unpricedCalls} of unknown price`;
}

function tokens({ usage }: Bucket): string {
  const amount = totalTokens(usage);
  if (amount >= 1_000_000) return `${(amount / 1_000_000).toFixed(1)}M`;
  return amount >= 10_000 ? `${Math.round(amount / 1000)}k` : String(amount);
}

function dearestFirst(buckets: ReadonlyMap<string, Bucket>): ReadonlyMap<string, Bucket> {
  const entries = [...buckets];
  return new Map(
    entries.sort(
      ([, a], [, b]) => (b.usd ?? -1) - (a.usd ?? -1) || totalTokens(b.usage) - totalTokens(a.usage),
    ),
  );
}

function newestFirst(buckets: ReadonlyMap<string, Bucket>): ReadonlyMap<string, Bucket> {
  return new Map([...buckets].sort(([a], [b]) => (a < b ? 1 : -1)));
}

/** A path by its end, which tells repositories apart. */
function shortPath([path, bucket]: readonly [string, Bucket]): readonly [string, Bucket] {
  const characters = [...path];
  return [characters.length <= NAME ? path : `…${characters.slice(1 - NAME).join('')}`, bucket];
}

function field(name: string, value: string): string[] {
  return fold(`${name.padEnd(10)} ${value}`, WIDTH, ' '.repeat(11));
}
