import { count, formatMoney, trimLine, visiblePath } from '../../job/format.ts';
import type { Balance } from '../../provider/balance.ts';
import type { HeardCatalogue } from '../../provider/live-catalogue.ts';
import type { Settings } from '../../provider/settings.ts';
import type { WorkerVariable } from '../models/environment.ts';
import type { ModelRow } from '../models/row.ts';
import type { Sources } from '../models/sources.ts';
import { fold } from './fold.ts';
import { perMillion } from './price.ts';

const WIDTH = 80;
const NAME = 51;
const INDENT = ' '.repeat(10);

export interface ModelsView {
  readonly rows: readonly ModelRow[];
  /** How many match, shown or not. */
  readonly total: number;
  readonly filter: string;
  readonly sources: Sources;
  readonly settings: Settings;
}

/** Models as a table of 80 columns, then where the list is from, what may be used, and what is left to spend. */
export function renderModels(view: ModelsView): string {
  const { rows, total, filter, sources, settings } = view;
  const of = filter === '' ? '' : ` match "${trimLine(filter, 20)}"`;
  const head = `${count(total, 'tool-capable model')}${of}, ${rows.length} shown; US dollars per million tokens`;
  const marks = [
    ...(rows.some(({ isDefault }) => isDefault) ? ['* default'] : []),
    ...(rows.some(({ isAllowed }) => !isAllowed) ? ['× not allowed'] : []),
    ...(rows.some(({ hasKey }) => !hasKey) ? ['? no key'] : []),
    ...(rows.some(({ prices }) => prices?.tiers !== undefined) ? ['+ long prompts cost more'] : []),
  ];
  return [
    head,
    ...(rows.length === 0 ? [] : [line('  MODEL', 'IN', 'OUT', 'CONTEXT')]),
    ...rows.flatMap(rowLines),
    ...(marks.length === 0 ? [] : field('marks', marks.join(' · '))),
    ...field('list', sources.catalogues.map(sourceWords).filter(unique).join(' · ')),
    ...(rows.length === 0 ? [] : field('prices', priceSources(rows))),
    ...sources.catalogues.flatMap(({ note }) => (note === null ? [] : field('note', note))),
    ...field('policy', policyWords(settings)),
    ...(sources.noDefault === null ? [] : field('default', `cannot be used now: ${sources.noDefault}`)),
    ...field('balance', balanceWords(sources.balance)),
  ].join('\n');
}

function rowLines(row: ModelRow): string[] {
  const mark = row.isDefault ? '*' : !row.isAllowed ? '×' : row.hasKey ? ' ' : '?';
  const { prices, contextWindow } = row;
  const numbers = [price(row, prices?.input), price(row, prices?.output), tokens(contextWindow)] as const;
  const name = `${mark} ${visiblePath(row.name)}`;
  if ([...name].length <= NAME) return [line(name, ...numbers)];
  // A name that is cut could not be copied.
  return [name, line('', ...numbers)];
}

function line(name: string, input: string, output: string, context: string): string {
  return `${name.padEnd(NAME)}  ${input.padStart(8)} ${output.padStart(8)} ${context.padStart(8)}`;
}

function price({ priceSource, prices }: ModelRow, usd: number | undefined): string {
  if (usd === undefined) return 'unknown';
  if (priceSource === 'subscription') return 'plan';
  if (usd === 0) return 'free';
  return `${perMillion(usd)}${prices?.tiers === undefined ? '' : '+'}`;
}

function tokens(amount: number | null): string {
  if (amount === null) return 'unknown';
  return amount >= 1_000_000
    ? `${Number((amount / 1_000_000).toFixed(1))}M`
    : `${Math.round(amount / 1000)}k`;
}

function sourceWords({ provider, source, at }: HeardCatalogue): string {
  const day = at.slice(0, 10);
  if (source === 'live') return `${provider}: as of now`;
  return source === 'cache' ? `${provider}: as of ${at.slice(0, 16)}Z` : `shipped list of ${day}`;
}

/** Who says so, of the prices that are shown. */
function priceSources(rows: readonly ModelRow[]): string {
  const said = rows.flatMap(({ priceSource }) => (priceSource === null ? [] : [SOURCES[priceSource]]));
  return said.length === 0 ? 'nobody knows them' : said.filter(unique).join(' · ');
}

const SOURCES: Record<NonNullable<ModelRow['priceSource']>, string> = {
  live: "the provider's list",
  'genai-prices': 'genai-prices',
  snapshot: 'shipped list',
  subscription: 'your plan',
  free: 'nobody charges',
  user: 'as you have set them',
};

function unique(text: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(text) === at;
}

function policyWords({ mode, allowedModels, budget }: Settings): string {
  const allowed = allowedModels === 'all' ? 'all models' : allowedModels.join(', ') || 'no model';
  const day = budget.perDay === null ? '' : `, ${formatMoney(budget.perDay)} a day`;
  return `mode ${mode} · ${allowed} allowed · at most ${formatMoney(budget.perJob)} a job${day}`;
}

function balanceWords(balance: Balance | null): string {
  if (balance === null) return 'unknown: only openrouter can be asked, and there is no key for it';
  switch (balance.kind) {
    case 'credits':
      return `openrouter: ${dollars(balance.left)} of credits left, ${dollars(balance.used)} used`;
    case 'key':
      return balance.left === null
        ? `openrouter: this key has no limit; ${dollars(balance.used)} used`
        : `openrouter: ${dollars(balance.left)} left of this key's limit, ${dollars(balance.used)} used`;
    case 'unknown':
      return `openrouter: unknown, ${balance.why}`;
  }
}

/** An account may be overdrawn. */
function dollars(usd: number): string {
  return usd < 0 ? `-$${(-usd).toFixed(2)}` : formatMoney(usd);
}

function field(name: string, value: string): string[] {
  return fold(`${name.padEnd(9)} ${value}`, WIDTH, INDENT);
}

/** The variables of a worker, one a line, then those of the claude engine's client. */
export function renderEnvironment(
  worker: readonly WorkerVariable[],
  client: readonly WorkerVariable[],
): string {
  const notes = [
    'Nothing else of your environment gets to a command of the worker. Commands of a job also find CC_DELEGATE_COMMAND, and a guarded git first on PATH.',
    'To pass a variable on: cc-delegate config set env.pass NAME',
  ];
  const ofClient =
    'The client of the claude engine has these besides; where the sizes of its model are known, also CLAUDE_CODE_MAX_OUTPUT_TOKENS and CLAUDE_CODE_AUTO_COMPACT_WINDOW. Its URL is the gateway of its own job:';
  return [
    ...variableLines(worker),
    ...notes.flatMap((note) => fold(note, WIDTH, '')),
    '',
    ...fold(ofClient, WIDTH, ''),
    ...variableLines(client),
  ].join('\n');
}

function variableLines(variables: readonly WorkerVariable[]): string[] {
  const width = Math.min(LONGEST_NAME, Math.max(...variables.map(({ name }) => name.length)));
  return variables.map(({ name, value, from }) => {
    const start = `${from.padEnd(6)}  ${visiblePath(name).padEnd(width)}  `;
    return start + trimLine(value === '' ? '(empty)' : value, Math.max(10, WIDTH - start.length));
  });
}

const LONGEST_NAME = 42;
