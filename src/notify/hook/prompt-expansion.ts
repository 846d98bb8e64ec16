import { typedGrant } from '../consent/grant.ts';
import { mint } from '../consent/grants.ts';
import type { PolicyCall } from './pre-tool-use.ts';

const PREFIX = 'cc-delegate:';

/**
 * The person has typed one of our slash commands (the client calls this for nothing else): what they typed is their
 * consent to it, for this session, once. Says nothing to the client. A run without a person mints nothing.
 */
export function promptExpansion({ input, env, userDir, now }: PolicyCall): void {
  const { session_id: session, command_name: name, command_args: args, expansion_type: type } = input;
  if (
    env.CLAUDE_CODE_SESSION_ATTENDED === '0' ||
    input.command_source !== 'plugin' ||
    type !== 'slash_command'
  )
    return;
  if (typeof session !== 'string' || typeof name !== 'string' || !name.startsWith(PREFIX)) return;
  const grant = typedGrant(name.slice(PREFIX.length), typeof args === 'string' ? args : '', now);
  if (grant !== null) mint(userDir, session, grant);
}
