import * as z from 'zod';

/**
 * What OpenRouter may do with the requests of a profile: `collection: deny` keeps them from endpoints that store or train
 * on them, `zdr: true` from all that retain anything. OpenRouter answers with an error where no endpoint is left
 * (its documentation of provider routing, November 2026).
 */
export const dataPolicySchema = z.looseObject({
  collection: z.enum(['allow', 'deny']).optional(),
  zdr: z.boolean().optional(),
});
type DataPolicy = z.infer<typeof dataPolicySchema>;

/** Why a profile cannot have a data policy; null: it can. A policy that nobody keeps would be worse than none. */
export function dataPolicyProblem(provider: string, api: string | undefined): string | null {
  if (provider !== 'openrouter') return `nothing: only openrouter knows data policies, not ${provider}`;
  // Its documentation names the two, and no other, as heeding the routing preferences.
  if (api === 'openai-chat' || api === 'openai-responses') return null;
  return 'nothing with this api: openrouter documents data policies for openai-chat only';
}

/** The policy as fields of a request's body; undefined where it says nothing. */
export function dataPolicyBody(
  policy: DataPolicy | undefined,
): { provider: Record<string, string | boolean> } | undefined {
  if (policy === undefined) return undefined;
  const { collection, zdr } = policy;
  if (collection === undefined && zdr === undefined) return undefined;
  return {
    provider: {
      ...(collection !== undefined && { data_collection: collection }),
      ...(zdr !== undefined && { zdr }),
    },
  };
}

/** For a line about a profile: `data: deny, zero retention`; null where it says nothing. */
export function dataPolicyText(policy: DataPolicy | undefined): string | null {
  const parts = [
    ...(policy?.collection === undefined ? [] : [policy.collection]),
    ...(policy?.zdr === true ? ['zero retention'] : []),
  ];
  return parts.length === 0 ? null : `data: ${parts.join(', ')}`;
}
