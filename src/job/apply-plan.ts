import { isControlPlane } from './control-plane.ts';

/** A file as git names it: mode `100644`, `100755`, `120000` (link) or `160000` (submodule), and its object id. */
export interface Entry {
  readonly mode: string;
  readonly oid: string;
}

/** What stands at a path on one side. `blocked` says in words why it may not be touched at all. */
export type Side =
  | { readonly kind: 'absent' }
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'blocked'; readonly why: string };

/** One path that differs between the base and the result, and what the user has there now. */
export interface PathSides {
  readonly path: string;
  readonly base: Entry | null;
  readonly theirs: Entry | null;
  readonly index: Side;
  /** The file's content as git would add it, so that line ends and filters play no part. */
  readonly worktree: Side;
  /** The result puts a link here that points out of the repository. */
  readonly linkOutside: boolean;
  /** The base has this path, or one above or below it, as the user had it uncommitted: the index may differ. */
  readonly carried: boolean;
}

/** Three contents that have to be merged line by line. */
export interface MergeQuestion {
  readonly path: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export type MergeAnswer =
  | { readonly kind: 'merged'; readonly oid: string }
  | { readonly kind: 'conflict'; readonly why: string };

export type Action =
  | { readonly kind: 'keep' }
  | { readonly kind: 'set'; readonly entry: Entry }
  | { readonly kind: 'remove' };

/** `unstaged`: it is brought into the worktree alone. */
export type FileNote = 'clean' | 'your_edits_kept' | 'unstaged' | 'already' | 'conflict';

export interface FilePlan {
  readonly path: string;
  readonly index: Action;
  readonly worktree: Action;
  readonly note: FileNote;
  /** Only with a conflict: what stands in the way, in words. */
  readonly why?: string;
}

export interface ApplyPlan {
  readonly verdict: 'clean' | 'already_applied' | 'conflict';
  readonly files: readonly FilePlan[];
  /** Paths that need the user's own word before anything is written (exit 5 without it). */
  readonly controlPlane: readonly string[];
}

const KEEP: Action = { kind: 'keep' };

/** The name under which the answer to a question is looked up. */
export function mergeKey(question: MergeQuestion): string {
  return [question.base, question.ours, question.theirs, question.path].join(' ');
}

/** Which contents have to be merged before a plan can be made. Each question stands once. */
export function mergesNeeded(sides: readonly PathSides[]): MergeQuestion[] {
  const questions = new Map<string, MergeQuestion>();
  for (const path of sides) {
    for (const side of [path.index, path.worktree]) {
      const question = mergeQuestion(path, side);
      if (question !== null) questions.set(mergeKey(question), question);
    }
  }
  return [...questions.values()];
}

/**
 * What apply would do, path by path, index and worktree apart. A missing answer counts as a conflict. If
 * one path conflicts nothing may be written, whatever the others say.
 */
export function planApply(
  sides: readonly PathSides[],
  answers: ReadonlyMap<string, MergeAnswer> = new Map(),
): ApplyPlan {
  const files = sides.map((path) => planPath(path, answers));
  const changing = sides.filter((_, at) => changes(files[at]));
  return {
    verdict: verdictOf(files),
    files,
    controlPlane: changing
      .filter((path) => isControlPlane(path.path) || path.linkOutside)
      .map((path) => path.path),
  };
}

function verdictOf(files: readonly FilePlan[]): ApplyPlan['verdict'] {
  if (files.some((file) => file.note === 'conflict')) return 'conflict';
  return files.some((file) => file.note !== 'already') ? 'clean' : 'already_applied';
}

function changes(file: FilePlan | undefined): boolean {
  return file !== undefined && file.note !== 'already';
}

function planPath(sides: PathSides, answers: ReadonlyMap<string, MergeAnswer>): FilePlan {
  const staged = planSide(sides, sides.index, 'staged', answers);
  // Over uncommitted work only what can be told apart from it is staged; what the index has stays.
  const index = staged.kind === 'conflict' && sides.carried ? KEEP : staged;
  const worktree = planSide(sides, sides.worktree, 'uncommitted', answers);
  const conflict = index.kind === 'conflict' ? index : worktree;
  if (conflict.kind === 'conflict') {
    return { path: sides.path, index: KEEP, worktree: KEEP, note: 'conflict', why: conflict.why };
  }
  if (index.kind === 'conflict' || worktree.kind === 'conflict') throw new Error('a conflict was lost');
  const plan = { path: sides.path, index, worktree };
  if (index.kind === 'keep' && worktree.kind === 'keep') return { ...plan, note: 'already' };
  if (sides.carried && index.kind === 'keep') return { ...plan, note: 'unstaged' };
  return { ...plan, note: isUntouched(sides) ? 'clean' : 'your_edits_kept' };
}

/** Did the user leave the path as it was at the base, or bring it to the result themselves? */
function isUntouched(sides: PathSides): boolean {
  return [sides.index, sides.worktree].every((side) => {
    const ours = side.kind === 'entry' ? side.entry : null;
    return sameEntry(ours, sides.base) || sameEntry(ours, sides.theirs);
  });
}

type SidePlan = Action | { readonly kind: 'conflict'; readonly why: string };

function planSide(
  sides: PathSides,
  side: Side,
  where: 'staged' | 'uncommitted',
  answers: ReadonlyMap<string, MergeAnswer>,
): SidePlan {
  if (side.kind === 'blocked') return { kind: 'conflict', why: side.why };
  const { base, theirs } = sides;
  if (isSubmodule(base) || isSubmodule(theirs)) return { kind: 'conflict', why: 'a submodule changed' };
  const ours = side.kind === 'entry' ? side.entry : null;
  if (sameEntry(ours, theirs)) return KEEP;
  if (sameEntry(ours, base)) return theirs === null ? { kind: 'remove' } : { kind: 'set', entry: theirs };
  if (base === null) return { kind: 'conflict', why: `another ${where} file of that name is there` };
  if (theirs === null) return { kind: 'conflict', why: `deleted in the result, ${where} changes here` };
  if (ours === null) return { kind: 'conflict', why: `changed in the result, deleted here (${where})` };
  return mergeEntries({ base, ours, theirs }, mergeQuestion(sides, side), where, answers);
}

function mergeEntries(
  three: { base: Entry; ours: Entry; theirs: Entry },
  question: MergeQuestion | null,
  where: string,
  answers: ReadonlyMap<string, MergeAnswer>,
): SidePlan {
  const { base, ours, theirs } = three;
  if (![base, ours, theirs].every(isFile)) {
    return { kind: 'conflict', why: `changed in the result, ${where} changes here: no text to merge` };
  }
  const answer: MergeAnswer | undefined =
    question === null
      ? { kind: 'merged', oid: pick(base.oid, ours.oid, theirs.oid) }
      : answers.get(mergeKey(question));
  if (answer?.kind !== 'merged') {
    return { kind: 'conflict', why: answer?.why ?? 'both changed it' };
  }
  // A file's mode has two values only: two sides that both left the base's agree.
  const entry = { mode: pick(base.mode, ours.mode, theirs.mode), oid: answer.oid };
  return sameEntry(entry, ours) ? KEEP : { kind: 'set', entry };
}

/** Null when no lines have to be merged: one side is absent or as the base, or no side is text. */
function mergeQuestion(sides: PathSides, side: Side): MergeQuestion | null {
  const { base, theirs, path } = sides;
  if (side.kind !== 'entry' || base === null || theirs === null) return null;
  const ours = side.entry;
  if (![base, ours, theirs].every(isFile)) return null;
  if (ours.oid === base.oid || theirs.oid === base.oid || ours.oid === theirs.oid) return null;
  return { path, base: base.oid, ours: ours.oid, theirs: theirs.oid };
}

/** Whichever of the two changed; both the same is no conflict. */
function pick(base: string, ours: string, theirs: string): string {
  return ours === base ? theirs : ours;
}

export function sameEntry(one: Entry | null, other: Entry | null): boolean {
  return one?.mode === other?.mode && one?.oid === other?.oid;
}

function isFile(entry: Entry): boolean {
  return entry.mode.startsWith('100');
}

function isSubmodule(entry: Entry | null): boolean {
  return entry?.mode === '160000';
}
