import { readFileSync, statSync } from 'node:fs';

// A message is JSON with its quotes; four bytes are about a token.
const BYTES_A_TOKEN = 4;

/** What the next turn of a conversation costs before it has begun, said ahead. */
export function replayNotice(transcript: string): string {
  const tokens = Math.max(1, Math.round(bytesSent(transcript) / BYTES_A_TOKEN / 100) / 10);
  return `the conversation so far is sent again: about ${tokens}k input tokens to begin with`;
}

/** The client's own file holds much beside the messages that never leaves this machine (2.1.332): most of it. */
function bytesSent(transcript: string): number {
  const [first = '', ...lines] = readFileSync(transcript, 'utf8').split('\n');
  if (parsed(first)?.engine !== 'claude') return statSync(transcript).size;
  const sent = lines.flatMap((line) => {
    const { message, rendered } = parsed(line) ?? {};
    return [(message as { content?: unknown } | undefined)?.content, rendered];
  });
  return sent.reduce<number>((sum, part) => sum + Buffer.byteLength(JSON.stringify(part) ?? ''), 0);
}

/** null: half a line, as a crash leaves it. */
function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    // The engine leaves it out as well.
    return null;
  }
}
