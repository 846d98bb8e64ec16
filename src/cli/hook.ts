import { text as readAll } from 'node:stream/consumers';
import { isJobId } from '../job/ids.ts';
import { EXIT } from '../job/user-error.ts';
import { NEWS_HOOKS } from '../notify/hook/news-hooks.ts';
import { POLICY_HOOKS } from '../notify/hook/policy-hooks.ts';
import { runHook } from '../notify/hook/run.ts';
import { openStore } from '../store/open.ts';
import { readJob } from '../store/read-job.ts';
import type { Output } from './command.ts';
import { parseVerb } from './parse.ts';
import { upToDate } from './up-to-date.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate hook EVENT

What the hooks of the plugin call: Claude Code's JSON on stdin, the answer for
it on stdout. Nothing for a person to type.`,

  async run(context) {
    const { positionals } = parseVerb(context.args, {});
    const [event = '', id] = positionals;
    if (event === 'lost') return lost(context, id);
    const hooks = { ...NEWS_HOOKS, ...POLICY_HOOKS };
    const answer = runHook(hooks, event, await readAll(context.stdin), context.env, context.program);
    if (answer.stderr !== '') context.stderr(answer.stderr.trimEnd());
    const json: unknown = answer.stdout === '' ? {} : JSON.parse(answer.stdout);
    return { json, text: answer.stdout.trimEnd(), exit: answer.exit === 2 ? EXIT.usage : EXIT.done };
  },
};

/** A hook has found a dead runner: what follows from it, with nobody looking. */
async function lost(context: VerbContext, id: string | undefined): Promise<Output> {
  const store = openStore(context.cwd, { create: false });
  const read = id !== undefined && isJobId(id) ? readJob(store, id) : null;
  if (read?.kind === 'ok') await upToDate(context, store, read.record);
  return { json: {}, text: '', exit: EXIT.done };
}
