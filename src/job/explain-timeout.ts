const WATCHERS =
  /watch usage|press .{1,12} (?:to|for) (?:quit|help|show|rerun|run)|waiting for (?:file )?changes|watching for (?:file )?changes|watching [\w./-]*|--watch\b|starting (?:the )?(?:development|dev) server|listening (?:on|at)|ready in \d+|local:\s+http/i;
const PROMPTS =
  /(?:\[y\/n\]|\(y\/n\)|\[yes\/no\]|\(yes\/no\)|\? ›|password:|passphrase|ok to proceed|do you want to|would you like to|are you sure|press (?:enter|any key)|enter .{1,40}:)\s*[^\n]*$|[?:>]\s*$/i;

/**
 * Why a test command may not have come to its end, from what it printed last: it waits for changes, or for an
 * answer. null: its output does not say. The commands have CI=true and an empty stdin already.
 */
export function explainTimeout(outputTail: string): string | null {
  const tail = outputTail.trimEnd().slice(-600);
  if (WATCHERS.test(tail))
    return 'it looks like a watcher or a server, which never ends; give the command that runs once (e.g. vitest run, jest --watchAll=false)';
  if (PROMPTS.test(tail))
    return 'it seems to wait for an answer that nobody types; give the option that answers it (e.g. --yes)';
  return null;
}
