import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What the program cannot do without, as a line for the person; null when all is there. Starts nothing. */
export function missing(env: NodeJS.ProcessEnv, nodeVersion = process.versions.node): string | null {
  const lacks = [
    ...(isNewEnough(nodeVersion) ? [] : [`Node.js ${OLDEST.join('.')} or later (this is ${nodeVersion})`]),
    ...(isOnPath('git', env) ? [] : ['git on PATH']),
  ];
  return lacks.length === 0 ? null : `cc-delegate cannot work: it needs ${lacks.join(', and ')}`;
}

/** As `engines` in package.json. */
const OLDEST = [20, 19] as const;

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Whether it may be executed is left to whoever does: a refusal is an exception, which costs more than all the rest. */
function isOnPath(program: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  return PATH.split(delimiter).some((folder) => names.some((name) => existsSync(join(folder, name))));
}
