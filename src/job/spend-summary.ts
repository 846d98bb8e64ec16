import { addUsage, NO_USAGE, type Prices, priceUsage, type Usage } from './cost.ts';
import { localDay, type SpendRecord } from './spend-record.ts';

/** Calls added up. Calls of unknown price and those of a subscription are counted, and are in no sum of money. */
export interface Bucket {
  readonly calls: number;
  readonly unpricedCalls: number;
  readonly subscriptionCalls: number;
  /** The tokens of some calls were counted by us. */
  readonly estimatedCalls: number;
  /** US dollars; null: no call of these has a known price. */
  readonly usd: number | null;
  readonly usage: Usage;
}

export const EMPTY_BUCKET: Bucket = {
  calls: 0,
  unpricedCalls: 0,
  subscriptionCalls: 0,
  estimatedCalls: 0,
  usd: null,
  usage: NO_USAGE,
};

/** What the same tokens would have cost elsewhere. US dollars, over the calls whose own price is known. */
export interface Compared {
  readonly calls: number;
  readonly spentUsd: number;
  readonly otherUsd: number;
}

/** All that was spent, and by what. The names are in the order they came first. */
export interface SpendSummary {
  readonly total: Bucket;
  /** Of subscriptions alone. */
  readonly subscription: Bucket;
  /** By `provider:model`, the model that answered. */
  readonly byModel: ReadonlyMap<string, Bucket>;
  /** By the day where the user is. */
  readonly byDay: ReadonlyMap<string, Bucket>;
  readonly byRepository: ReadonlyMap<string, Bucket>;
  readonly compared: Compared;
}

/** Adds calls up one by one, so that a long file need not be held. `other`: prices to compare with. */
export class SpendSum {
  readonly #other: Prices | null;
  readonly #byModel = new Map<string, Bucket>();
  readonly #byDay = new Map<string, Bucket>();
  readonly #byRepository = new Map<string, Bucket>();
  #total = EMPTY_BUCKET;
  #subscription = EMPTY_BUCKET;
  #compared: Compared = { calls: 0, spentUsd: 0, otherUsd: 0 };

  constructor(other: Prices | null) {
    this.#other = other;
  }

  add(record: SpendRecord): void {
    this.#total = withCall(this.#total, record);
    if (record.basis === 'subscription') this.#subscription = withCall(this.#subscription, record);
    addTo(this.#byModel, `${record.provider}:${record.model}`, record);
    addTo(this.#byDay, localDay(new Date(record.at)), record);
    addTo(this.#byRepository, record.repo, record);
    if (this.#other !== null && record.usd !== null && record.basis !== 'subscription') {
      const { calls, spentUsd, otherUsd } = this.#compared;
      this.#compared = {
        calls: calls + 1,
        spentUsd: spentUsd + record.usd,
        otherUsd: otherUsd + priceUsage(record.usage, this.#other),
      };
    }
  }

  get summary(): SpendSummary {
    return {
      total: this.#total,
      subscription: this.#subscription,
      byModel: this.#byModel,
      byDay: this.#byDay,
      byRepository: this.#byRepository,
      compared: this.#compared,
    };
  }
}

function addTo(buckets: Map<string, Bucket>, name: string, record: SpendRecord): void {
  buckets.set(name, withCall(buckets.get(name) ?? EMPTY_BUCKET, record));
}

function withCall(bucket: Bucket, { usd, basis, usage, estimated }: SpendRecord): Bucket {
  const isSubscription = basis === 'subscription';
  const isPriced = usd !== null && !isSubscription;
  return {
    calls: bucket.calls + 1,
    unpricedCalls: bucket.unpricedCalls + (usd === null ? 1 : 0),
    subscriptionCalls: bucket.subscriptionCalls + (isSubscription ? 1 : 0),
    estimatedCalls: bucket.estimatedCalls + (estimated ? 1 : 0),
    usd: isPriced ? (bucket.usd ?? 0) + usd : bucket.usd,
    usage: addUsage(bucket.usage, usage),
  };
}
