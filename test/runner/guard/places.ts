import type { Place } from '../../../src/runner/guard/place.ts';

/** Folders of a job that does not exist, for tests that only read texts. */
export const PLACE: Place = {
  workspace: '/state/job/work',
  cwd: '/state/job/work',
  checkout: '/user/checkout',
  home: '/state/job/home',
  temp: '/state/job/tmp',
  own: ['/state/job/tmp', '/state/job/home'],
};

/** What the placeholders of a spelling stand for. */
export interface Names {
  readonly remote: string;
  readonly bare: string;
  readonly main: string;
  readonly work: string;
  readonly commit2: string;
  readonly commit3: string;
}

export const NAMES: Names = {
  remote: 'file:///srv/remote.git',
  bare: '/srv/remote.git',
  main: '/user/checkout',
  work: PLACE.workspace,
  commit2: 'feedc0de',
  commit3: 'c0ffee00',
};

export function spell(spelling: string, names: Names): string {
  const values: Readonly<Record<string, string>> = { ...names, url: names.remote };
  return spelling.replace(
    /\{(remote|url|bare|main|work|commit2|commit3)\}/g,
    (_, name) => values[name] ?? '',
  );
}
