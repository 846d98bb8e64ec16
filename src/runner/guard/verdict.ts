/** What a refused command was about to do. */
export type Family = keyof typeof SENTENCES;

export interface Refusal {
  readonly kind: 'refuse';
  readonly family: Family;
  /** One line for the model: why not, and what to do instead. */
  readonly sentence: string;
}

export type Verdict = { readonly kind: 'pass' } | Refusal;

export const PASS: Verdict = { kind: 'pass' };

const COLLECTED = 'finish and stop; the result is collected from the files of the workspace.';

/** No apostrophes: the shim quotes these for sh. */
export const SENTENCES = {
  push: `git push is not available here: ${COLLECTED}`,
  fetch: `git fetch and pull are not available here: work on the base you have, then ${COLLECTED}`,
  merge: `git merge is not available here: edit the files as they should be, then ${COLLECTED}`,
  rebase: `git rebase is not available here: the history of the workspace is not kept; ${COLLECTED}`,
  refs: 'Branches and refs cannot be moved or deleted here: leave them, only the files are collected; a new branch (git switch -c) is fine.',
  stash:
    'git stash is not available here: a stash belongs to the user and is shared by every worktree of a repository; copy files to $TMPDIR, or use git diff > $TMPDIR/my.patch and git restore.',
  worktree:
    'git worktree is not available here: there is one workspace; copy files to $TMPDIR if you need a second.',
  remote: 'Remotes cannot be changed here: there is nothing to talk to; finish and stop.',
  config: 'Only the configuration of the workspace may be changed: leave out --global and --system.',
  elsewhere:
    'git may change the workspace and repositories below $TMPDIR only: do the work in the workspace, where it is collected.',
  forge: `Pull requests, releases and the like are not available here: the supervisor does that; ${COLLECTED}`,
  repository: 'The .git folder of another repository is not yours to remove: do the work in the workspace.',
  scan: 'Scanning the whole drive is not allowed: search in the workspace (find ., grep -r x .) or in a named folder.',
} as const;

export function refuse(family: Family): Refusal {
  return { kind: 'refuse', family, sentence: SENTENCES[family] };
}
