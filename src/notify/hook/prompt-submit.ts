import { revokeDialogs } from '../consent/grants.ts';
import { context, type HookAnswer, type HookCall, NOTHING, sessionOf } from './call.ts';
import { takeNews } from './news.ts';

/** The person has typed something: what the bell has not brought yet goes with it. */
export function promptSubmit(call: HookCall): HookAnswer {
  const session = sessionOf(call);
  if (session === null) return NOTHING;
  revokeDialogs(call.userDir, session, call.now);
  if (isMachineTurn(call.input.prompt)) return NOTHING;
  const news = takeNews(call, session);
  return news === null ? NOTHING : context('UserPromptSubmit', news);
}

/** The client calls the hook for its own notices too; those have their text already. Pure. */
export function isMachineTurn(prompt: unknown): boolean {
  if (typeof prompt !== 'string') return true;
  return /^\s*<(task-notification|system-reminder)>/.test(prompt) || prompt.includes(MACHINE_WORDS);
}

const MACHINE_WORDS = '[SYSTEM NOTIFICATION - NOT USER INPUT]';
