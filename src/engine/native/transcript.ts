import { appendFileSync, mkdirSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { escapeControls } from '../../job/format.ts';
import { parseJson } from '../../job/json.ts';
import { readTranscript } from '../transcript-file.ts';
import { MESSAGE, type Message, matchResults, withoutSignedThoughts } from './messages.ts';
import { redactMessage, type TranscriptRedactor } from './redact-message.ts';

const ENGINE = 'native';
const VERSION = 1;

const HEADER = z.object({ engine: z.literal(ENGINE), version: z.number().max(VERSION) });
const LINE = z.union([
  z.object({ t: z.literal('message'), message: MESSAGE }),
  z.object({
    t: z.literal('compacted'),
    before: z.number(),
    after: z.number(),
    messages: z.array(MESSAGE),
  }),
]);

export type TranscriptLine = z.infer<typeof LINE>;

/** What a transcript holds: its history, and what was wrong with the file. */
export interface ReadTranscript {
  readonly messages: Message[];
  readonly problems: readonly string[];
}

/** Starts a transcript anew: the header line alone. Throws what the file system says. */
export function createTranscript(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, '', { mode: 0o600 });
  truncateSync(file, 0);
  append(file, { engine: ENGINE, version: VERSION });
}

/**
 * Adds a line, without secrets where there is a redactor. It is with the system when this returns, so a killed
 * runner loses none.
 */
export function writeLine(file: string, line: TranscriptLine, redactor?: TranscriptRedactor): void {
  append(file, redactor === undefined ? line : redactLine(line, redactor));
}

/** Control characters are escaped, not left out: what is read again is what was written. */
function append(file: string, value: unknown): void {
  appendFileSync(file, `${escapeControls(JSON.stringify(value))}\n`, { mode: 0o600 });
}

/**
 * Reads the history out of a transcript and makes it fit to be continued: a torn last line is cut off the file,
 * calls without a result get one that says so. null when the file is missing, empty, or of another engine.
 */
export function resumeTranscript(file: string): ReadTranscript | null {
  const found = readTranscript(file, HEADER);
  if (found === null) return null;
  const problems = [...found.problems];
  const messages = replay(found.lines, problems);
  return { messages: withoutSignedThoughts(matchResults(messages)), problems };
}

function redactLine(line: TranscriptLine, redactor: TranscriptRedactor): TranscriptLine {
  if (line.t === 'message') return { ...line, message: redactMessage(line.message, redactor) };
  return { ...line, messages: line.messages.map((message) => redactMessage(message, redactor)) };
}

function replay(lines: readonly string[], problems: string[]): Message[] {
  let messages: Message[] = [];
  for (const [index, text] of lines.entries()) {
    const line = LINE.safeParse(parseJson(text));
    if (!line.success) {
      problems.push(`line ${index + 2} of the transcript cannot be read and is left out`);
    } else if (line.data.t === 'compacted') {
      messages = line.data.messages;
    } else {
      messages.push(line.data.message);
    }
  }
  return messages;
}
