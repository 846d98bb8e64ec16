// A program of its own: it reads shell text, and what does that is six times what all other hooks are.
import { POLICY_HOOKS } from './policy-hooks.ts';
import { answerClient } from './run.ts';

process.exitCode = answerClient(POLICY_HOOKS);
