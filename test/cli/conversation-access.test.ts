import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refuseForeign } from '../../src/cli/conversation-access.ts';
import type { Conversation } from '../../src/cli/find-conversation.ts';
import type { Grant } from '../../src/notify/consent/grant.ts';
import { openStore } from '../../src/store/open.ts';
import { makeFolder } from '../helpers/repository.ts';
import { jobOf } from '../notify/jobs.ts';
import { refusal } from '../provider/user-error-of.ts';

const MINE = 'session-mine';

function called(options: {
  owner: string | null;
  mode?: string;
  env?: Record<string, string>;
  named?: (id: string) => Grant;
}) {
  const userDir = makeFolder();
  if (options.mode !== undefined) writeFileSync(join(userDir, 'config.yaml'), `mode: ${options.mode}\n`);
  const record = jobOf(makeFolder(), options.owner, userDir);
  const conversation: Conversation = {
    store: openStore(record.repo, { create: true }),
    id: record.conversationId,
    turns: [record],
    first: record,
    newest: record,
    named: record,
  };
  const env = options.env ?? { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: MINE };
  const context = {
    args: [record.id, 'more'],
    cwd: record.repo,
    env: { ...env, CC_DELEGATE_HOME: userDir, HOME: userDir },
    stdin: process.stdin,
    stdout: () => undefined,
    stderr: () => undefined,
    json: false,
    program: '',
    consent: options.named?.(record.id) ?? null,
  };
  const attempt = async () => refuseForeign(context, 'followup', conversation);
  return { attempt };
}

it('lets a session go on with what it started, and a person with everything', async () => {
  await called({ owner: MINE }).attempt();
  await called({ owner: 'other', env: {} }).attempt();
});

it('refuses the conversation of another session, unless the mode is auto', async () => {
  expect(await refusal(called({ owner: 'other' }).attempt)).toMatchObject({ exit: 5 });
  expect(await refusal(called({ owner: null }).attempt)).toMatchObject({ exit: 5 });
  await called({ owner: 'other', mode: 'auto' }).attempt();
});

it('takes the conversation that the person has named', async () => {
  const consent = { kind: 'typed', verb: 'delegate-followup', expiresAt: 0 } as const;
  await called({ owner: 'other', named: (id) => ({ ...consent, words: ['go', id] }) }).attempt();
  await called({ owner: 'other', named: (id) => ({ ...consent, words: [id.slice(-6)] }) }).attempt();
  await called({ owner: 'other', named: (id) => ({ kind: 'dialog', argv: [id], expiresAt: 0 }) }).attempt();
});

it('takes no word about something else for the name of a conversation', async () => {
  const consent = { kind: 'typed', verb: 'delegate-followup', expiresAt: 0 } as const;
  const named = () => ({ ...consent, words: ['more', '--budget', '9'] });
  expect(await refusal(called({ owner: 'other', named }).attempt)).toMatchObject({ exit: 5 });
});
