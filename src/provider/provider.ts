import type { CloudAccess, LoginKind } from './access.ts';

/** The wire protocol of an endpoint; the same words as the engine's `ModelApi`, which this folder may not import. */
export const PROVIDER_APIS = ['openai-chat', 'openai-responses', 'anthropic', 'google'] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** One way to reach models. An entry is data: a new provider is a new row in `providers/`. */
export interface Provider {
  readonly id: string;
  /** Base URL of each protocol it speaks; the first is used unless a profile says otherwise. null: the profile brings it. */
  readonly endpoints: readonly { readonly api: ProviderApi; readonly baseUrl: string | null }[];
  /** Models, by how their names begin, that are not asked by the first protocol. */
  readonly apiOf?: readonly { readonly prefix: string; readonly api: ProviderApi }[];
  /**
   * `always`: a hosted service. `login`: its own device login stands in the place of a key. `never`: runs on this
   * machine. `depends`: decided by the profile's own URL.
   */
  readonly needsKey: 'always' | 'login' | 'never' | 'depends';
  /** A cloud, whose base URL follows from region or resource, and which may sign requests in place of a key. */
  readonly cloud?: CloudAccess['kind'];
  readonly login?: LoginKind;
  /** The environment variable that holds this provider's key, and nobody else's. */
  readonly keyEnv: string | null;
  /** Other names of that variable, asked after it. */
  readonly keyEnvAlso?: readonly string[];
  /** Where a person gets a key. */
  readonly keyUrl: string | null;
  /** Where a person sees what was used and paid. */
  readonly activityUrl: string | null;
  readonly defaultModel: string | null;
  /** The cheap one for side jobs; null: the default does them too. */
  readonly smallModel: string | null;
  /** `metered`: paid by use. `subscription`: no call has a price of its own. `free`: nobody charges. */
  readonly billing: 'metered' | 'subscription' | 'free';
  /** The prefixes older `litellm:<prefix>/<model>` strings use for it. */
  readonly litellmPrefixes: readonly string[];
}
