import { parseBudgetAnswer } from '../job/budget.ts';
import { decimal, exactMoney } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { callerIsModel, mayRaise } from './model-caller.ts';
import { usage } from './parse.ts';
import type { VerbContext } from './verb.ts';

/**
 * An answer to a job at a cap, as the runner takes it. `raise`: the sum of the call's own `--raise-budget`, US dollars.
 * Throws UserError: exit 2 for what is neither a sum that would let it go on nor a stop, exit 5 for a model that raises
 * without the person: they have agreed only to a sum that stood in the call, not to one in a file or a text.
 */
export function moneyAnswer(
  context: Pick<VerbContext, 'env' | 'consent'>,
  record: Pick<JobRecord, 'id' | 'costUsd'>,
  said: string,
  raise: number | undefined,
): string {
  const command = `cc-delegate answer ${shortId(record.id)}`;
  const answer = parseBudgetAnswer(said);
  if (answer.kind === 'stop') return 'stop';
  if (answer.kind === 'unclear') {
    const remedy = `${command} --raise-budget USD, or: ${command} stop`;
    throw usage('this job asks for money: the answer is a sum, or stop', said, remedy);
  }
  const isAgreed =
    raise === undefined ? !callerIsModel(context.env) : mayRaise(context, '--raise-budget', raise);
  if (!isAgreed) {
    throw new UserError({
      code: 'needs_the_user',
      what: 'only the user may let a job spend more',
      value: said,
      remedy: `the user may type in a terminal: ${command} --raise-budget ${decimal(answer.usd)}`,
      exit: EXIT.refused,
    });
  }
  if (answer.usd <= (record.costUsd ?? 0)) {
    const spent = exactMoney(record.costUsd);
    throw usage(
      'it has spent as much already; the sum is what it may spend in all',
      said,
      `more than ${spent}`,
    );
  }
  return decimal(answer.usd);
}
