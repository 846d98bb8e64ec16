import { anyCommand } from './any-command.ts';
import { fileChanged } from './file-changed.ts';
import { promptSubmit } from './prompt-submit.ts';
import type { Hooks } from './run.ts';
import { sessionEnd } from './session-end.ts';
import { sessionStart } from './session-start.ts';
import { stop } from './stop.ts';

/** What tells a session about its jobs, and what has to start as fast. */
export const NEWS_HOOKS: Hooks = {
  SessionStart: sessionStart,
  FileChanged: fileChanged,
  Stop: stop,
  UserPromptSubmit: promptSubmit,
  SessionEnd: sessionEnd,
  AnyCommand: anyCommand,
};
