import { formatMoney } from '../../../job/format.ts';
import type { Event } from '../../../store/events.ts';
import { type Html, html } from './html.ts';
import { fieldOf, usdOf } from './timeline.ts';

const WIDTH = 720;
const HEIGHT = 160;
const MOST_POINTS = 360;

interface Point {
  readonly step: number;
  readonly sum: number;
}

/** What was spent by the end of each step, as a curve; in tokens when no call has a price. null without any call. */
export function costChart(events: readonly Event[]): Html | null {
  const isPriced = events.some((event) => event.t === 'spend' && usdOf(event) !== null);
  const points = pointsOf(events, isPriced ? (event) => usdOf(event) ?? 0 : tokensOf);
  const last = points.at(-1);
  if (last === undefined) return null;
  const unpriced = events.filter((event) => event.t === 'spend' && usdOf(event) === null).length;
  const total = isPriced ? formatMoney(last.sum) : `${last.sum.toLocaleString('en-US')} tokens`;
  const label = `${isPriced ? 'Cost' : 'Tokens'} over ${last.step} steps, ${total} in all`;
  return html`<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><title>${label}</title>
<line class="axis" x1="0" y1="${HEIGHT - 1}" x2="${WIDTH}" y2="${HEIGHT - 1}"/>
<path class="area" d="${pathOf(points, last)} L${WIDTH} ${HEIGHT} L0 ${HEIGHT} Z"/>
<path class="curve" d="${pathOf(points, last)}"/></svg>
<figcaption><span>step 1</span><span>${label}${isPriced && unpriced > 0 && `; ${unpriced} calls without a price are not in it`}${!isPriced && '; price unknown'}</span><span>step ${last.step}</span></figcaption></figure>`;
}

function tokensOf(event: Event): number {
  const usage = fieldOf(event.spend, 'usage');
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'].map((name) => fieldOf(usage, name));
  return parts.reduce((sum: number, part) => sum + (typeof part === 'number' ? part : 0), 0);
}

/** One point a step: what came before the first step (an ask has none) counts to the first. */
function pointsOf(events: readonly Event[], amount: (event: Event) => number): Point[] {
  const sums: number[] = [];
  let step = 1;
  let sum = 0;
  for (const event of events) {
    if (event.t === 'step_start' && typeof event.step === 'number') step = Math.max(step, event.step);
    if (event.t !== 'spend') continue;
    sum += amount(event);
    sums[Math.min(step, 10_000)] = sum;
  }
  const points = Object.entries(sums).map(([at, value]) => ({ step: Number(at), sum: value }));
  const every = Math.ceil(points.length / MOST_POINTS);
  return points.filter((_point, at) => at % every === 0 || at === points.length - 1);
}

function pathOf(points: readonly Point[], last: Point): string {
  const span = Math.max(1, last.step - 1);
  const top = last.sum === 0 ? 1 : last.sum;
  const places = points.map(({ step, sum }) => {
    const x = last.step === 1 ? WIDTH : ((step - 1) / span) * WIDTH;
    return `L${x.toFixed(1)} ${(HEIGHT - 2 - (sum / top) * (HEIGHT - 12)).toFixed(1)}`;
  });
  return [`M0 ${HEIGHT - 2}`, ...places].join(' ');
}
