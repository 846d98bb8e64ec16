import { shortId } from './ids.ts';
import type { JobRecord } from './record.ts';
import { isTerminal } from './states.ts';

/** What has become of the job another one waits for. */
export type Predecessor =
  | { readonly kind: 'wait'; readonly why: string }
  /** `base`: the commit to start from; null: the one the job has already. */
  | { readonly kind: 'go'; readonly base: string | null }
  | { readonly kind: 'stop'; readonly why: string };

/** Pure. `record` is null when the job is not there any more. `id` is for the words. */
export function afterPredecessor(id: string, record: JobRecord | null): Predecessor {
  const name = `the job it waits for, ${id},`;
  if (record === null) return { kind: 'stop', why: `${name} was removed` };
  if (!isTerminal(record.state)) return { kind: 'wait', why: `waits for ${shortId(record.id)}` };
  if (record.state !== 'succeeded') {
    const reason = record.reason === null ? record.state : `${record.state}/${record.reason}`;
    return { kind: 'stop', why: `${name} did not succeed: ${reason}` };
  }
  if (record.disposition === 'discarded') return { kind: 'stop', why: `${name} was discarded` };
  const base = record.kind === 'task' ? (record.result?.commit ?? record.base) : null;
  return { kind: 'go', base };
}
