import { usage } from './parse.ts';
import type { Verb } from './verb.ts';

/** Every verb, in the order of the help; loaded only when it is called. */
const VERBS = {
  start: () => import('./start.ts'),
  ask: () => import('./ask.ts'),
  followup: () => import('./followup.ts'),
  status: () => import('./status.ts'),
  progress: () => import('./progress.ts'),
  wait: () => import('./wait.ts'),
  result: () => import('./result.ts'),
  diff: () => import('./diff.ts'),
  log: () => import('./log.ts'),
  report: () => import('./report.ts'),
  answer: () => import('./answer.ts'),
  steer: () => import('./steer.ts'),
  cancel: () => import('./cancel.ts'),
  resume: () => import('./resume.ts'),
  retry: () => import('./retry.ts'),
  apply: () => import('./apply.ts'),
  undo: () => import('./undo.ts'),
  discard: () => import('./discard.ts'),
  cleanup: () => import('./cleanup.ts'),
  list: () => import('./list.ts'),
  open: () => import('./open.ts'),
  models: () => import('./models.ts'),
  spend: () => import('./spend.ts'),
  doctor: () => import('./doctor.ts'),
  config: () => import('./config.ts'),
  auth: () => import('./auth.ts'),
  hook: () => import('./hook.ts'),
  statusline: () => import('./statusline.ts'),
  uninstall: () => import('./uninstall.ts'),
  demo: () => import('./demo.ts'),
} as const satisfies Record<string, () => Promise<{ verb: Verb }>>;

/** Throws UserError exit 2 that names the verbs there are. */
export async function loadVerb(name: string): Promise<Verb> {
  if (!Object.hasOwn(VERBS, name)) {
    throw usage('no such verb', name, `one of: ${Object.keys(VERBS).join(' ')}`);
  }
  const { verb } = await VERBS[name as keyof typeof VERBS]();
  return verb;
}
