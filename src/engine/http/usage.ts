import type { Usage } from '../../job/cost.ts';

/** What the endpoint itself said about a request. `cost` in US dollars, null where it names none. */
export interface Reported {
  readonly usage: Usage;
  readonly cost: number | null;
}

/** What one request is charged with. `estimated`: the tokens are counted from the text, not reported. */
export interface Billing {
  readonly usage: Usage;
  readonly cost: number | null;
  readonly estimated: boolean;
}

/**
 * The charge of a request. Without a report the estimates stand in; a request that broke off is charged
 * with at least the output that was received, since its last count never came.
 */
export function billingOf(
  reported: Reported | null,
  estimate: { readonly input: number; readonly output: number },
  complete: boolean,
): Billing {
  if (reported === null) {
    return { usage: { ...estimate, cacheRead: 0, cacheWrite: 0 }, cost: null, estimated: true };
  }
  const { usage, cost } = reported;
  if (complete || usage.output >= estimate.output) return { usage, cost, estimated: false };
  return { usage: { ...usage, output: estimate.output }, cost, estimated: true };
}

/** A rough count of the tokens of a text: four characters each. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
