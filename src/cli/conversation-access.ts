import { shortId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { callerOf } from '../notify/consent/caller.ts';
import { namesItsJob } from '../notify/consent/grant.ts';
import { heirsFrom } from '../notify/heirs.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { userDirectory } from '../store/paths.ts';
import type { Conversation } from './find-conversation.ts';
import type { VerbContext } from './verb.ts';

/**
 * A model may go on with conversations its own session started (or that this session took over), and with those the
 * person has named; in mode `auto`, and for a person, with any. Throws UserError (exit 5) otherwise.
 */
export function refuseForeign(context: VerbContext, verb: string, conversation: Conversation): void {
  const userDir = userDirectory(context.env);
  const caller = callerOf(context.env, userDir);
  if (caller.kind === 'person') return;
  const { session } = caller;
  const owner = conversation.first.supervisor.sessionId;
  if (session !== null && owner !== null && heirsFrom(userDir, owner).includes(session)) return;
  // Whatever else it was given for.
  if (context.consent !== null && namesItsJob(context.consent, context.args)) return;
  if (effectiveConfig({ env: context.env, projectRoot: null }).settings.mode === 'auto') return;
  throw new UserError({
    code: 'needs_the_user',
    what: 'a session may go on only with conversations it has started itself, or that the user has named',
    value: conversation.id,
    remedy: `the user may type in a terminal: cc-delegate ${verb} ${shortId(conversation.named.id)} …`,
    exit: EXIT.refused,
  });
}
