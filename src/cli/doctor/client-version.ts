/** The first Claude Code in which all that we use of it works as we need it (its own change log). */
export const CLIENT_FLOOR = '2.1.143';

/** What `claude --version` printed, as a version; null when it holds none. */
export function versionIn(text: string): string | null {
  return /\b(\d+\.\d+\.\d+)\b/.exec(text)?.[1] ?? null;
}

/** Is this version at least that one? */
export function isAtLeast(version: string, floor: string): boolean {
  const [a, b] = [version, floor].map((each) => each.split('.').map(Number));
  for (let at = 0; at < 3; at += 1) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
