import { describe, expect, it } from 'vitest';
import { parseScript, pickTurn } from '../../../src/engine/scripted/turn.ts';
import { scripted } from '../harness.ts';

async function post(url: string, path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the scripted model', () => {
  it('plays a list of turns in order, and repeats the last', async () => {
    const model = await scripted([{ text: 'one' }, { text: 'two' }]);
    const texts: string[] = [];
    for (let n = 0; n < 3; n += 1)
      texts.push((await post(model.url, '/chat/completions', { model: 'm' })).text);
    expect(texts.map((text) => JSON.parse(text).choices[0].message.content)).toEqual(['one', 'two', 'two']);
  });

  it('keeps a list for each role, and says when a role has none', async () => {
    const model = await scripted({ turns: { grader: [{ text: 'graded' }] }, end: 'error' });
    const asGrader = { 'x-cc-delegate-role': 'grader' };
    expect((await post(model.url, '/chat/completions', {}, asGrader)).text).toContain('graded');
    expect(await post(model.url, '/chat/completions', {}, asGrader)).toMatchObject({ status: 400 });
    expect((await post(model.url, '/chat/completions', {})).text).toContain('script ended for role worker');
  });

  it('asks a function, and shows it the request', async () => {
    const model = await scripted(({ body, role, api, index }) => ({
      text: `${body.model} ${role} ${api} ${index}`,
    }));
    const { text } = await post(model.anthropicUrl, '/v1/messages', { model: 'm' });
    expect(JSON.parse(text).content[0].text).toBe('m worker anthropic 0');
  });

  it.each(['/chat/completions', '/messages'])('streams on %s', async (path) => {
    const model = await scripted([
      { text: 'hello', thinking: 'hmm', calls: [{ name: 'read', args: { path: 'a' } }] },
    ]);
    const { text, headers } = await post(model.url, path, { stream: true });
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(text).toContain('hello');
    expect(text).toContain('hmm');
    expect(text).toContain('\\"path\\"');
    expect(text).toMatch(/\[DONE\]|message_stop/);
  });

  it('answers with plain HTTP when the turn says so', async () => {
    const model = await scripted([{ status: 429, headers: { 'retry-after': '3' }, body: 'slow down' }]);
    const answer = await post(model.url, '/chat/completions', {});
    expect(answer).toMatchObject({ status: 429, text: 'slow down' });
    expect(answer.headers.get('retry-after')).toBe('3');
  });

  it('cuts the socket', async () => {
    const model = await scripted([{ text: 'hello', ending: 'cut' }]);
    await expect(post(model.url, '/chat/completions', { stream: true })).rejects.toThrow('terminated');
  });

  it('says what went wrong in a script of its own', async () => {
    const model = await scripted(() => {
      throw new Error('no idea');
    });
    expect(await post(model.url, '/chat/completions', {})).toMatchObject({
      status: 500,
      text: expect.stringContaining('no idea'),
    });
  });

  it('records what it was asked', async () => {
    const model = await scripted([{ text: 'x' }]);
    await post(model.url, '/chat/completions', {
      model: 'm',
      temperature: 1,
      messages: [{ role: 'user', content: 'q' }],
    });
    expect(model.requests[0]).toMatchObject({
      index: 0,
      path: '/v1/chat/completions',
      body: { temperature: 1, messages: [{ role: 'user', content: 'q' }] },
    });
  });
});

describe('parseScript', () => {
  it('reads a list of turns, and lists by role', () => {
    expect(parseScript('[{"text":"a"}]')).toEqual([{ text: 'a' }]);
    expect(pickTurn(parseScript('{"turns":{"tester":[{"text":"b"}]}}'), 'tester', 5)).toEqual({ text: 'b' });
  });

  it.each(['[{"txt":"a"}]', '{}', '3'])('refuses %s', (json) => {
    expect(() => parseScript(json)).toThrow();
  });
});
