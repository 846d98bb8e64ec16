import { trimLine } from '../../job/format.ts';
import { dataPolicyText } from '../../provider/data-policy.ts';
import { pricesOf } from '../../provider/endpoint.ts';
import { loginKindOf } from '../../provider/login/saved-logins.ts';
import { pricesFor } from '../../provider/prices.ts';
import type { CommandContext } from '../command.ts';
import { priceWords } from '../render/price.ts';
import type { ShownProfile } from './describe-profiles.ts';

const WIDTH = 80;
const INDENT = '    ';

/** A few lines a profile: what it is, where, at what price, and what it needs. `*` marks the default. */
export async function profileLines(
  { env }: Pick<CommandContext, 'env'>,
  profiles: readonly ShownProfile[],
): Promise<string[]> {
  const all = await Promise.all(
    profiles.map(async (profile) => linesOf(profile, await priceText(profile, env))),
  );
  return all.flat();
}

function linesOf(profile: ShownProfile, price: string): string[] {
  const policy = dataPolicyText(profile.dataPolicy ?? undefined);
  const { fallbacks } = profile;
  const below = [
    ...(profile.engine === 'claude' ? ['engine claude'] : []),
    `${profile.baseUrl} · ${keyText(profile)}`,
    `price ${price}`,
    ...(policy === null ? [] : [policy]),
    ...(fallbacks.length > 0 ? [`fallbacks ${fallbacks.join(', ')}`] : []),
  ];
  return [
    `${profile.isDefault ? '*' : ' '} ${trimLine(`${profile.name} · ${profile.provider}:${profile.model}`, WIDTH - 2)}`,
    ...below.map((line) => `${INDENT}${trimLine(line, WIDTH - INDENT.length)}`),
  ];
}

/** As a job would be charged: what the profile says, else what the lists say. Nobody is asked for it. */
async function priceText(profile: ShownProfile, env: NodeJS.ProcessEnv): Promise<string> {
  const { provider, model, baseUrl } = profile;
  const own = pricesOf({ prices: profile.prices ?? undefined });
  const found = own === null ? await pricesFor({ provider, model, env, baseUrl }) : null;
  const endpoint = { provider, prices: own ?? found?.prices ?? null };
  return priceWords(found === null ? { endpoint } : { endpoint, priced: found });
}

function keyText({ key, name, provider }: ShownProfile): string {
  if (loginKindOf(provider) !== null) return key.source ?? `not logged in: auth login ${name}`;
  if (key.remedy?.startsWith('set ')) return key.remedy;
  if (key.source !== null) return `key ${key.masked} (${key.source})`;
  return key.needed ? `no key: config key set ${name}` : 'no key needed';
}
