import { appendFileSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { escapeControls } from '../../job/format.ts';
import { parseJson } from '../../job/json.ts';
import { mapStrings } from '../../job/redaction/map-strings.ts';
import type { RunSpec } from '../engine.ts';
import { readTranscript } from '../transcript-file.ts';

const ENGINE = 'claude';
const VERSION = 1;

const HEADER = z.object({ engine: z.literal(ENGINE), version: z.number().max(VERSION), session: z.uuid() });
const SESSION_LINE = z.looseObject({ type: z.string() });

/** The client's bookkeeping of single requests: the same words again, and nothing it needs to go on (2.1.332). */
const LEFT_OUT = new Set([
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'queue-operation',
  'cost-state',
]);
/** Names by which the lines hang together: only what is known to be a secret is taken out of them. */
const NAMES = new Set([
  'uuid',
  'parentUuid',
  'sessionId',
  'id',
  'tool_use_id',
  'type',
  'role',
  'name',
  'signature',
]);

/** No conversation is as long; what a worker could post by itself has no end. */
const MOST_BYTES = 128 * 1024 * 1024;

type Redactor = RunSpec['conversation']['redactor'];

/** The transcript of a run: a header, then the client's session as it grows, without secrets. */
export class Transcript {
  readonly #file: string;
  readonly #redactor: Redactor;
  #session: string;
  /** How much of the client's file is here; null: whatever comes first goes on from what is here. */
  #offset: number | null;
  /** How much more may be written. */
  #left: number;

  private constructor(
    file: string,
    redactor: Redactor,
    session: string,
    offset: number | null,
    most: number,
  ) {
    this.#file = file;
    this.#redactor = redactor;
    this.#session = session;
    this.#offset = offset;
    this.#left = most;
  }

  /**
   * Starts a transcript anew with this session, or goes on with what is there. `lines` is the session up to now as
   * the client takes it back; null: it begins. Throws what the file system says.
   */
  static open({ file, resume, redactor }: RunSpec['conversation'], fresh: string, most = MOST_BYTES) {
    const found = resume ? read(file) : null;
    if (found !== null && found.lines !== '') {
      const { session, lines, problems } = found;
      return {
        transcript: new Transcript(file, redactor, session, null, most - lines.length),
        session,
        lines,
        problems,
      };
    }
    const transcript = new Transcript(file, redactor, fresh, 0, most);
    transcript.#begin();
    const problems = resume ? ['there is no transcript to resume: the conversation starts anew'] : [];
    return { transcript, session: fresh, lines: null, problems };
  }

  /** The client goes on under another id than it was started with. */
  follow(session: string): void {
    this.#session = session;
  }

  /** Is this the session the client is in? */
  isOf(session: string): boolean {
    return session === this.#session;
  }

  /**
   * Whole lines of the client's session file, from there. What is here already is not written again. False: there is
   * no room for them any more.
   */
  append(bytes: Uint8Array, offset: number): boolean {
    if (offset === 0) {
      this.#begin();
      this.#offset = 0;
    }
    const had = Math.max(0, (this.#offset ?? offset) - offset);
    const text = Buffer.from(bytes.subarray(had)).toString('utf8');
    const lines = text.split('\n').flatMap((line) => this.#clean(line));
    const clean = Buffer.from(lines.join(''));
    this.#left -= clean.length;
    if (this.#left < 0) return false;
    if (clean.length > 0) this.#write(clean);
    // Not before: what could not be written is given once more.
    this.#offset = Math.max(this.#offset ?? 0, offset + bytes.length);
    return true;
  }

  /** All of it or nothing: the beginning of a line would run into what comes next. */
  #write(bytes: Buffer): void {
    const length = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    try {
      appendFileSync(this.#file, bytes, { mode: 0o600 });
    } catch (error) {
      this.#left += bytes.length;
      truncateSync(this.#file, length);
      throw error;
    }
  }

  #begin(): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    const header = { engine: ENGINE, version: VERSION, session: this.#session };
    writeFileSync(this.#file, `${JSON.stringify(header)}\n`, { mode: 0o600 });
  }

  #clean(line: string): string[] {
    const parsed = SESSION_LINE.safeParse(parseJson(line));
    if (!parsed.success || LEFT_OUT.has(parsed.data.type)) return [];
    const value = this.#redactor === undefined ? parsed.data : redacted(parsed.data, this.#redactor);
    return [`${escapeControls(JSON.stringify(value))}\n`];
  }
}

/** The strings of a line without secrets; the line stays one the client can read. */
function redacted(value: unknown, redactor: NonNullable<Redactor>): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, redactor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      redactor.known(name),
      NAMES.has(name) ? mapStrings(item, (text) => redactor.known(text)) : redacted(item, redactor),
    ]),
  );
}

/** What a transcript holds; null when there is none, or it is of another engine. A torn last line is cut off it. */
function read(file: string): { session: string; lines: string; problems: string[] } | null {
  const found = readTranscript(file, HEADER);
  if (found === null) return null;
  const { header, lines } = found;
  const problems = [...found.problems];
  const good = lines.filter((line) => SESSION_LINE.safeParse(parseJson(line)).success);
  if (good.length < lines.length) {
    problems.push(`${lines.length - good.length} lines of the transcript cannot be read and are left out`);
  }
  return { session: header.session, lines: good.map((line) => `${line}\n`).join(''), problems };
}
