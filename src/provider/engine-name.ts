/** Our own loop, and a headless Claude Code whose model calls go through a gateway of ours. */
export const ENGINES = ['native', 'claude'] as const;

export type EngineName = (typeof ENGINES)[number];
