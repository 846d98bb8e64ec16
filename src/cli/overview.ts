/** What `cc-delegate --help` prints. */
export function overview(): string {
  return `cc-delegate hands a whole coding task to a cheaper model and brings back one
tested diff.

  cc-delegate start "TASK" --test CMD   hand a task over; prints its id at once
  cc-delegate ask "QUESTION"            ask another model about this checkout
  cc-delegate followup ID "TEXT"        the next turn: more questions, or changes
  cc-delegate status [ID]               one job in a line, or all of this repository
  cc-delegate progress ID               step, cost, files, what it did last
  cc-delegate wait [ID…]                until it is done, or asks
  cc-delegate answer ID TEXT            answer its question
  cc-delegate steer ID TEXT             tell a running worker something
  cc-delegate cancel ID                 stop it; its work is kept
  cc-delegate resume ID                 go on with a job that was interrupted
  cc-delegate retry ID                  a new job from the same brief
  cc-delegate result ID                 the receipt: tests, files, cost
  cc-delegate diff ID                   the patch; --stat, --packet for a review
  cc-delegate apply ID                  bring it into the checkout, staged; --check
  cc-delegate undo [ID]                 take the last apply back, byte for byte
  cc-delegate discard ID                say that it will not be used
  cc-delegate cleanup ID                remove workspace, branch and record
  cc-delegate list                      jobs, newest first, with what they cost
  cc-delegate log ID                    what happened, event by event
  cc-delegate report [ID]               one web page about a job
  cc-delegate open ID                   where its workspace is
  cc-delegate models [FILTER]           models with price and context
  cc-delegate spend                     what was spent, and what it saved
  cc-delegate config …                  models, keys, limits
  cc-delegate auth status               keys and logins, and whether they are good
  cc-delegate doctor                    checks what a job will use
  cc-delegate statusline install        one line about jobs in Claude Code
  cc-delegate uninstall                 take back what it put on this machine
  cc-delegate demo                      a whole delegation, offline

Every verb takes --json, --repo DIR and --help.`;
}
