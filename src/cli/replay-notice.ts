import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import { parseJson } from '../job/json.ts';

// A message is JSON with its quotes; four bytes are about a token.
const BYTES_A_TOKEN = 4;

/** What the next turn of a conversation costs before it has begun, said ahead. */
export function replayNotice(transcript: string): string {
  const tokens = Math.max(1, Math.round(bytesSent(transcript) / BYTES_A_TOKEN / 100) / 10);
  return `the conversation so far is sent again: about ${tokens}k input tokens to begin with`;
}

const CLIENTS = z.object({ engine: z.literal('claude') });
/** The client's own file holds much beside the messages that never leaves this machine (2.1.332): most of it. */
const LINE = z.object({
  message: z.object({ content: z.unknown().optional() }).optional().catch(undefined),
  rendered: z.unknown().optional(),
});

function bytesSent(transcript: string): number {
  const [first = '', ...lines] = readFileSync(transcript, 'utf8').split('\n');
  if (!CLIENTS.safeParse(parseJson(first)).success) return statSync(transcript).size;
  const sent = lines.flatMap((line) => {
    // Half a line, as a crash leaves it, is left out by the engine as well.
    const { data } = LINE.safeParse(parseJson(line));
    return [data?.message?.content, data?.rendered];
  });
  return sent.reduce<number>((sum, part) => sum + Buffer.byteLength(JSON.stringify(part) ?? ''), 0);
}
