import { exactMoney } from './format.ts';
import type { Limits } from './limits.ts';

/** None of the limits above `most`, and a line about each that was. Pure. */
export function boundLimits(limits: Limits, most: Limits): { limits: Limits; notice: readonly string[] } {
  const keys = Object.keys(most) as (keyof Limits)[];
  const above = keys.filter((key) => limits[key] > most[key]);
  const notice = above.map((key) => {
    const say = (value: number): string => (key === 'budgetUsd' ? exactMoney(value) : String(value));
    const name = key === 'budgetUsd' ? 'the budget' : key;
    return `${name} is ${say(most[key])}, as the user has set it, not ${say(limits[key])} as before`;
  });
  const lowered = Object.fromEntries(above.map((key) => [key, most[key]]));
  return { limits: { ...limits, ...lowered }, notice };
}
