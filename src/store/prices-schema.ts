import * as z from 'zod';
import type { Prices } from '../job/cost.ts';

const amount = z.number().nonnegative();
const perMillion = {
  input: amount,
  output: amount,
  cacheRead: amount.optional(),
  cacheWrite: amount.optional(),
};

/** Prices as they stand in a file of ours, or come by the runner's pipe. */
export const pricesSchema = z.object({
  ...perMillion,
  tiers: z.array(z.object({ above: z.number().int().positive(), ...perMillion })).optional(),
}) satisfies z.ZodType<Prices>;
