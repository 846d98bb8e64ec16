import { readFileSync, truncateSync } from 'node:fs';
import type * as z from 'zod';
import { parseJson } from '../job/json.ts';

const NEWLINE = 0x0a;

/** What a transcript file holds, and what was wrong with it. */
export interface TranscriptFile<Header> {
  readonly header: Header;
  /** Behind the header; each may still be anything. */
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Reads a transcript: ndjson with a header line that says whose it is. A last line that a kill has torn is cut off the
 * file. null when the file is missing, empty, or has another header.
 */
export function readTranscript<Header>(
  file: string,
  header: z.ZodType<Header>,
): TranscriptFile<Header> | null {
  const bytes = readOrNull(file);
  if (bytes === null) return null;
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  const [first = '', ...lines] = bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
  const parsed = header.safeParse(parseJson(first));
  if (!parsed.success) return null;
  const isTorn = whole < bytes.length;
  if (isTorn) truncateSync(file, whole);
  const problems = isTorn ? ['the last line of the transcript was torn and is cut off'] : [];
  return { header: parsed.data, lines, problems };
}

function readOrNull(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
