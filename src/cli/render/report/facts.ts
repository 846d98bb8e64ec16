import type { Receipt } from '../../../job/receipt.ts';
import type { JobRecord } from '../../../job/record.ts';
import type { ReviewFile } from '../../../job/review-files.ts';
import type { JobState } from '../../../job/states.ts';
import type { Event } from '../../../store/events.ts';

/** All a report is made of. Every text in it has been cleaned of secrets; escaping is the page's own work. */
export interface ReportFacts {
  readonly record: JobRecord;
  /** null: the job has not ended, or its runner died. */
  readonly receipt: Receipt | null;
  readonly states: readonly { readonly state: JobState; readonly at: string }[];
  readonly events: readonly Event[];
  /** Were there more events than were read? */
  readonly eventsCut: boolean;
  /** null: there is no patch (yet). */
  readonly patch: {
    readonly path: string;
    /** Of all its bytes, hexadecimal. */
    readonly sha256: string;
    readonly isCut: boolean;
    readonly files: readonly ReviewFile[];
  } | null;
  /** Of an ask; '' otherwise. */
  readonly answer: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
  readonly version: string;
}
