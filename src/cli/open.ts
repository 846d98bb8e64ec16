import { existsSync } from 'node:fs';
import { shortId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { stateDirectory, workspacePaths } from '../store/paths.ts';
import { locateJob } from './find-job.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate open ID

Prints the path of the job's workspace: cd "$(cc-delegate open ID)".`,

  async run(context) {
    const { positionals } = parseVerb(context.args, {});
    atMost(positionals, 1);
    if (positionals[0] === undefined) throw usage('which job?', '', 'cc-delegate open ID');
    const { store, record } = await locateJob(context, positionals[0]);
    // Our own idea of the path, not the record's: a record is data, and data may be forged.
    const { work } = workspacePaths(stateDirectory(context.env), store.repo, record.id);
    if (!existsSync(work)) {
      throw new UserError({
        code: 'workspace_gone',
        what: 'the workspace is gone',
        value: work,
        remedy: `its work may be kept: cc-delegate diff ${shortId(record.id)}`,
        exit: EXIT.environment,
      });
    }
    return { json: { id: record.id, workspace: work }, text: work, exit: EXIT.done };
  },
};
