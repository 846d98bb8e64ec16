import * as z from 'zod';
import type { JobId } from '../job/ids.ts';
import { parseJson } from '../job/json.ts';
import { type JobRecord, RECORD_MAX_BYTES, RECORD_SCHEMA } from '../job/record.ts';
import { RECORD } from './record-fields.ts';

/** More than this is not even looked at: eight times what we write. */
export const RECORD_READ_BYTES = 64 * 1024;

export type RecordRead =
  | { readonly kind: 'ok'; readonly record: JobRecord }
  /** Written by a newer program: to be shown, not to be changed. */
  | { readonly kind: 'newer'; readonly schema: number; readonly raw: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unreadable'; readonly why: string };

/** What a record must be besides well-formed, so that a file cannot speak for another job. */
export interface RecordExpectation {
  readonly id: JobId;
  /** The revision a file in `rev/` must hold; null for a snapshot. */
  readonly rev: number | null;
}

const versioned = z.looseObject({ schema: z.int(), id: z.string() });

/** Reads a record from text that anybody may have written. Never throws, whatever the text is. */
export function parseRecord(text: string, expected: RecordExpectation): RecordRead {
  if (text.length > RECORD_READ_BYTES) return unreadable(`it is larger than ${RECORD_READ_BYTES} bytes`);
  const value = parseJson(text);
  if (value === undefined) return unreadable(text.trim() === '' ? 'it is empty' : 'it is not JSON');
  const head = versioned.safeParse(value);
  if (head.success && head.data.id !== expected.id) return unreadable('it belongs to another job');
  if (head.success && head.data.schema > RECORD_SCHEMA) {
    return { kind: 'newer', schema: head.data.schema, raw: head.data };
  }
  const parsed = RECORD.safeParse(value);
  if (!parsed.success) return unreadable(firstIssue(parsed.error));
  if (expected.rev !== null && parsed.data.rev !== expected.rev) return unreadable('it is another revision');
  return { kind: 'ok', record: asRecord(parsed.data) };
}

/**
 * The text of a record. What could not be read back, or is over RECORD_MAX_BYTES, is a bug of the caller
 * and throws.
 */
export function serializeRecord(record: JobRecord): string {
  const parsed = RECORD.safeParse(asParsed(record));
  if (!parsed.success) throw new Error(`invalid record of ${record.id}: ${firstIssue(parsed.error)}`);
  const text = `${JSON.stringify(parsed.data)}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > RECORD_MAX_BYTES) {
    throw new Error(`record of ${record.id} has ${bytes} bytes, over ${RECORD_MAX_BYTES}`);
  }
  return text;
}

// These two compile only while the schema and the type say the same, one for each direction.
type Parsed = z.output<typeof RECORD>;
type SameKeys = keyof Parsed extends keyof JobRecord ? JobRecord : never;

function asRecord(parsed: Parsed): SameKeys {
  return parsed;
}

function asParsed(record: SameKeys): Parsed {
  return record;
}

function unreadable(why: string): RecordRead {
  return { kind: 'unreadable', why };
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'it is invalid' : `${issue.path.join('.') || 'record'}: ${issue.message}`;
}
