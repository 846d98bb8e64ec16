import { randomInt } from 'node:crypto';
import * as z from 'zod';

/** `m_<base36 milliseconds>_<4 base36 counting up><6 base36 random>`: sorted order is send order. */
export const MESSAGE_ID = /^m_[0-9a-z]{6,12}_[0-9a-z]{4,20}$/;

const envelope = { id: z.string().regex(MESSAGE_ID), at: z.iso.datetime() };

/** What everybody may send to a runner. */
export const INBOX = z.discriminatedUnion('type', [
  z.object({ type: z.literal('steer'), ...envelope, text: z.string() }),
  z.object({ type: z.literal('answer'), ...envelope, question: z.string(), text: z.string() }),
  z.object({ type: z.literal('cancel'), ...envelope, force: z.boolean().optional() }),
]);
export type InMessage = z.output<typeof INBOX>;

/** What a runner asks. It stays open until the runner closes it. */
export const OUTBOX = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('question'),
    ...envelope,
    question: z.object({
      id: z.string(),
      kind: z.enum(['question', 'blocker', 'budget']),
      message: z.string(),
      context: z.string().nullable(),
      attempts: z.string().nullable(),
      options: z.array(z.string()).readonly(),
      askedAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
    }),
  }),
]);
export type OutMessage = z.output<typeof OUTBOX>;
export type OpenQuestion = OutMessage['question'];

let last = { ms: 0, counter: 0 };

/** A new message's id and time. In one process later ids sort later, even when the clock was set back. */
export function newEnvelope(nowMs: number = Date.now()): { readonly id: string; readonly at: string } {
  const ms = Math.max(nowMs, last.ms);
  last = { ms, counter: ms === last.ms ? last.counter + 1 : 0 };
  const counter = last.counter.toString(36).padStart(4, '0');
  const random = randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0');
  return { id: `m_${ms.toString(36)}_${counter}${random}`, at: new Date(nowMs).toISOString() };
}
