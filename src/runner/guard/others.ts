import { basename } from 'node:path';
import { couldBe } from './marks.ts';
import { hasOption, NO_VALUES, operands } from './options.ts';
import { resolvePath, whose } from './place.ts';
import type { Scope } from './scope.ts';
import { type Refusal, refuse } from './verdict.ts';

/** Programs beside git that change history or what others see. */
export function judgeOther(name: string, argv: readonly string[], scope: Scope): Refusal | null {
  if (name === 'gh' || name === 'glab') return forge(argv);
  if (name === 'cp' || name === 'ln' || name === 'install') {
    const [from, to] = operands(argv, NO_VALUES).slice(-2);
    const path = resolvePath(scope.cwd, to ?? '');
    if (from !== undefined && path !== null && couldBe(basename(from), 'git'))
      scope.programs.set(path, 'git');
  }
  if (name === 'rm' && hasOption(argv, 'rR', '--recursive')) {
    const paths = operands(argv, NO_VALUES).map((word) => resolvePath(scope.cwd, word));
    if (paths.some((path) => path !== null && isForeign(path, scope))) return refuse('repository');
  }
  return null;
}

/** The worker's own may go: the result is what the files are, whatever became of its git. */
function isForeign(path: string, { place }: Scope): boolean {
  return basename(path) === '.git' && whose(path, place) === 'elsewhere';
}

const LOOKS: ReadonlySet<string> = new Set(['view', 'list', 'status', 'diff', 'checks', 'watch', '', 'help']);
const TOPICS: ReadonlySet<string> = new Set([
  'pr',
  'mr',
  'release',
  'repo',
  'issue',
  'workflow',
  'run',
  'api',
]);
/** Those of hub, which have no second word. */
const DEEDS: ReadonlySet<string> = new Set(['pull-request', 'fork', 'create', 'sync']);

/** `gh pr create` and the like; looking passes. */
export function forge(argv: readonly string[]): Refusal | null {
  const [topic = '', what = ''] = operands(argv, { letters: 'RX', longs: ['--repo', '--method'] });
  return DEEDS.has(topic) || (TOPICS.has(topic) && !LOOKS.has(what)) ? refuse('forge') : null;
}
