/** What a worker may do without being asked, in Claude Code's own words, the narrowest first. */
export const PERMISSION_MODES = [
  'plan',
  'default',
  'manual',
  'dontAsk',
  'acceptEdits',
  'auto',
  'bypassPermissions',
] as const;

export type PermissionMode = (typeof PERMISSION_MODES)[number];

// `default`, `manual` and `dontAsk` come to the same where nobody can be asked.
const RANK: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  default: 1,
  manual: 1,
  dontAsk: 1,
  acceptEdits: 2,
  auto: 3,
  bypassPermissions: 4,
};

/** Does `mode` allow more than `ceiling`? */
export function isAbove(mode: PermissionMode, ceiling: PermissionMode): boolean {
  return RANK[mode] > RANK[ceiling];
}

/** Of two modes the one that allows less, the first where they come to the same; null allows all there is. */
export function narrower(first: PermissionMode | null, second: PermissionMode | null): PermissionMode | null {
  if (first === null || second === null) return first ?? second;
  return isAbove(first, second) ? second : first;
}

/** The mode a word names; null for none. */
export function permissionMode(word: string): PermissionMode | null {
  return PERMISSION_MODES.find((mode) => mode === word) ?? null;
}
