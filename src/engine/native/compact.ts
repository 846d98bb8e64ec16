import type { EngineHost } from '../engine.ts';
import {
  ASSUMED_WINDOW,
  COMPACTOR_SYSTEM,
  compactedHistory,
  planCompaction,
  renderMiddle,
  SUMMARY_TOKENS,
} from './compaction.ts';
import type { Conversation } from './conversation.ts';
import type { Reply, Requester } from './request.ts';

/** What became of an attempt to shorten the history. `ended`: the run is over by this reply. */
export type Compacted =
  | { readonly kind: 'shorter' }
  | { readonly kind: 'nothing_to_shorten' }
  | { readonly kind: 'ended'; readonly reply: Reply };

/** The summary is made of at most this share of the window. */
const RENDERED_SHARE = 0.5;

/**
 * Has the middle of the history summed up (role compactor, charged like any request) and puts the summary in
 * its place. A summary that fails does not fail the run: the middle is then left out.
 */
export async function compact(
  parts: {
    readonly conversation: Conversation;
    readonly requester: Requester;
    readonly agent: string;
    readonly prompt: string;
    readonly emit: EngineHost['emit'];
  },
  keep: number,
): Promise<Compacted> {
  const { conversation, requester, agent, prompt, emit } = parts;
  const plan = planCompaction(conversation.messages, prompt, keep * conversation.scale());
  if (plan === null) return { kind: 'nothing_to_shorten' };
  const room = Math.min(requester.model.contextWindow ?? ASSUMED_WINDOW, conversation.tokens());
  const content = `The task was:\n${prompt}\n\nThe conversation:\n${renderMiddle(plan, room * RENDERED_SHARE)}`;
  const reply = await requester.ask(
    {
      role: 'compactor',
      system: COMPACTOR_SYSTEM,
      messages: [{ role: 'user', content }],
      tools: [],
      maxOutput: SUMMARY_TOKENS,
    },
    { silent: true },
  );
  if (reply.kind === 'stop' || reply.kind === 'aborted') return { kind: 'ended', reply };
  const summary = reply.kind === 'answer' ? reply.answer.text.trim() || null : null;
  if (summary === null) emit({ agent, t: 'warn', text: `no summary of the conversation: ${why(reply)}` });
  const sizes = conversation.compact(compactedHistory(plan, summary));
  emit({ agent, t: 'compacted', ...sizes });
  return { kind: 'shorter' };
}

function why(reply: Reply): string {
  if (reply.kind === 'failed') return reply.message;
  return reply.kind === 'overflow' ? reply.error.message : 'it was empty';
}
