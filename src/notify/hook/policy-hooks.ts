import { answer, NOTHING } from './call.ts';
import { preToolUse } from './pre-tool-use.ts';
import { promptExpansion } from './prompt-expansion.ts';
import type { Hooks } from './run.ts';

/** What sees to it that policy is changed by the person only. */
export const POLICY_HOOKS: Hooks = {
  PreToolUse: (call) => {
    const decision = preToolUse(call);
    return decision === null ? NOTHING : answer(decision);
  },
  UserPromptExpansion: (call) => {
    promptExpansion(call);
    return NOTHING;
  },
};
