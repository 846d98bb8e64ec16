import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatgptBody, copilotInitiator } from '../../../src/engine/http/login-body.ts';
import { loginFetch } from '../../../src/engine/http/login-fetch.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { openAiTokens, PATHS, startLoginService } from '../../provider/login/service.ts';

const HOUR = 3_600_000;

/** A user logged in to both, whose requests are seen by the service. */
async function user() {
  const service = await startLoginService();
  const now = Date.now();
  const folder = join(makeFolder(), 'user');
  mkdirSync(folder, { mode: 0o700 });
  const tokens = openAiTokens('before', now + HOUR);
  const after = openAiTokens('after', now + 2 * HOUR);
  const logins = {
    copilot: {
      kind: 'copilot',
      endpoints: service.endpoints.copilot,
      githubToken: 'ghu_0123456789abcdef',
      session: { token: 'session-1-0123456789', expiresAt: now + HOUR, gotAt: now, baseUrl: service.url },
    },
    chatgpt: {
      kind: 'chatgpt',
      endpoints: service.endpoints.chatgpt,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      accountId: 'acct-7',
      expiresAt: now + HOUR,
      gotAt: now,
    },
  };
  const file = { schema: 1, profiles: {}, providers: {}, logins };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(file), { mode: 0o600 });
  service.answer(PATHS.oauth, [200, after]);
  const env = { CC_DELEGATE_HOME: folder };
  const copilot = (base: string) => loginFetch({ kind: 'copilot', owner: 'copilot' }, base, fetch, env);
  const CHATGPT = 'https://chatgpt.com/backend-api/codex';
  const chatgpt = loginFetch({ kind: 'chatgpt', owner: 'chatgpt' }, CHATGPT, fetch, env);
  return { service, tokens, after, copilot, chatgpt, CHATGPT };
}

const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) });

describe('a request with a login', () => {
  it.each([
    { base: 'https://api.githubcopilot.com', path: '/chat/completions' },
    { base: 'https://api.githubcopilot.com', path: '/responses' },
    { base: 'https://api.githubcopilot.com/v1', path: '/messages' },
  ])('goes to where Copilot’s token is good: $base$path', async ({ base, path }) => {
    const { service, copilot } = await user();
    const wanted = base.endsWith('/v1') ? `/v1${path}` : path;
    service.answer(wanted, [200, { ok: true }]);
    const headers = { authorization: 'Bearer none', 'x-api-key': 'none', 'x-cc-delegate-role': 'worker' };
    const response = await copilot(base)(`${base}${path}`, {
      ...post({ messages: [{ role: 'user', content: 'x' }] }),
      headers,
    });
    expect(response.status).toBe(200);
    const [asked] = service.to(wanted);
    expect(asked?.headers).toMatchObject({
      authorization: 'Bearer session-1-0123456789',
      'copilot-integration-id': 'vscode-chat',
      'x-initiator': 'user',
      'x-cc-delegate-role': 'worker',
    });
    expect(asked?.headers).not.toHaveProperty('x-api-key');
  });

  it('has ChatGPT’s account, and a body its service takes', async () => {
    const { service, tokens, chatgpt, CHATGPT } = await user();
    service.answer('/codex/responses', [200, {}]);
    const body = { model: 'm', input: [{ role: 'developer', content: 'be brief' }], max_output_tokens: 5 };
    await chatgpt(`${CHATGPT}/responses`, post(body));
    const [asked] = service.to('/codex/responses');
    expect(asked?.headers).toMatchObject({
      authorization: `Bearer ${tokens.access_token}`,
      'chatgpt-account-id': 'acct-7',
    });
    expect(asked?.body).toEqual({
      model: 'm',
      instructions: 'be brief',
      input: [],
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    });
  });

  it('is repeated once, with a new token, when the token is refused', async () => {
    const { service, after, chatgpt, CHATGPT } = await user();
    service.answer('/codex/responses', [401, {}], [200, {}]);
    expect((await chatgpt(`${CHATGPT}/responses`, post({ input: [] }))).status).toBe(200);
    const asked = service.to('/codex/responses');
    expect(asked).toHaveLength(2);
    expect(asked[1]?.headers.authorization).toBe(`Bearer ${after.access_token}`);
    expect(asked[1]?.body).toEqual(asked[0]?.body);
  });

  it('is not repeated for ever', async () => {
    const { service, chatgpt, CHATGPT } = await user();
    service.answer('/codex/responses', [401, { error: 'no' }]);
    expect((await chatgpt(`${CHATGPT}/responses`, post({ input: [] }))).status).toBe(401);
    expect(service.to('/codex/responses')).toHaveLength(2);
    expect(service.to(PATHS.oauth)).toHaveLength(1);
  });

  it('is not repeated with the token that was refused, should the service give it again', async () => {
    const { service, copilot } = await user();
    service.answer('/chat/completions', [401, {}]);
    service.answer(PATHS.exchange, [
      200,
      { token: 'session-1-0123456789', expires_at: 9e9, endpoints: { api: service.url } },
    ]);
    const base = 'https://api.githubcopilot.com';
    expect((await copilot(base)(`${base}/chat/completions`, post({ messages: [] }))).status).toBe(401);
    expect(service.to('/chat/completions')).toHaveLength(1);
    expect(service.to(PATHS.exchange)).toHaveLength(1);
  });

  it.each([
    {
      reply: [400, { error: 'invalid_grant' }] as const,
      status: 401,
      says: 'cc-delegate auth login chatgpt',
    },
    { reply: [503, {}] as const, status: 503, says: 'it answered 503' },
  ])('ends with $status when the renewal is answered $reply', async ({ reply, status, says }) => {
    const { service, chatgpt, CHATGPT } = await user();
    service.answer('/codex/responses', [401, {}]);
    service.answer(PATHS.oauth, reply);
    const response = await chatgpt(`${CHATGPT}/responses`, post({ input: [] }));
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(says);
    expect(service.to('/codex/responses')).toHaveLength(1);
  });
});

describe('copilotInitiator', () => {
  const user = { role: 'user', content: 'go on' };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1' }] };
  const text = { role: 'user', content: [{ type: 'text', text: 'x' }] };
  it.each([
    { body: { messages: [user] }, who: 'user' },
    { body: { messages: [text] }, who: 'user' },
    { body: { messages: [user, { role: 'assistant' }, { role: 'tool', content: 'x' }] }, who: 'agent' },
    { body: { messages: [user, { role: 'tool', content: 'x' }, user] }, who: 'user' },
    { body: { messages: [user, result] }, who: 'agent' },
    { body: { input: [user, { type: 'function_call_output', output: 'x' }] }, who: 'agent' },
    { body: { input: [user] }, who: 'user' },
    { body: {}, who: 'user' },
  ])('of $body is $who', ({ body, who }) => {
    expect(copilotInitiator(JSON.stringify(body))).toBe(who);
  });
});

describe('chatgptBody', () => {
  it('keeps what it does not know, and the order of the rest', () => {
    const body = {
      model: 'gpt-6.1-terra',
      input: [
        { role: 'system', content: [{ type: 'input_text', text: 'one' }] },
        { role: 'developer', content: 'two' },
        { role: 'user', content: [{ type: 'input_text', text: 'task' }] },
        { type: 'function_call', call_id: '1', name: 'read', arguments: '{}' },
        { type: 'function_call_output', call_id: '1', output: 'x' },
      ],
      tools: [{ type: 'function', name: 'read' }],
      include: ['reasoning.encrypted_content', 'other'],
      instructions: 'zero',
      store: true,
      stream: false,
      max_tokens: 1,
      max_completion_tokens: 1,
      max_output_tokens: 1,
      metadata: { a: 'b' },
      reasoning: { effort: 'low' },
    };
    expect(JSON.parse(chatgptBody(JSON.stringify(body)))).toEqual({
      model: 'gpt-6.1-terra',
      instructions: 'zero\n\none\n\ntwo',
      input: body.input.slice(2),
      tools: body.tools,
      include: ['reasoning.encrypted_content', 'other'],
      store: false,
      stream: true,
      reasoning: { effort: 'low' },
    });
  });

  it('always has instructions, and leaves alone what it cannot read', () => {
    expect(JSON.parse(chatgptBody('{"input":[]}'))).toMatchObject({ instructions: '' });
    expect(chatgptBody('no json')).toBe('no json');
  });
});
