import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_BOUNDS } from '../../../src/notify/consent/bounds.ts';
import { writeBounds } from '../../../src/notify/consent/bounds-file.ts';
import {
  destinationsText,
  rememberSent,
  sentFrom,
  unagreed,
} from '../../../src/notify/consent/first-send.ts';
import { typedGrant } from '../../../src/notify/consent/grant.ts';
import { burn, mint } from '../../../src/notify/consent/grants.ts';
import { preToolUse } from '../../../src/notify/hook/pre-tool-use.ts';
import { makeFolder, makeRepository } from '../../helpers/repository.ts';

const A = { provider: 'openrouter', host: 'openrouter.ai' };
const B = { provider: 'deepseek', host: 'api.deepseek.com' };

describe('where the work of a repository has gone', () => {
  it('is remembered with who was asked, and by provider and host', () => {
    const userDir = makeFolder();
    expect(unagreed(sentFrom(userDir, '/r'), [A, B])).toEqual([A, B]);
    rememberSent(userDir, '/r', { destinations: [A], asked: false, now: 0 });
    expect(unagreed(sentFrom(userDir, '/r'), [A, B])).toEqual([A, B]);
    rememberSent(userDir, '/r', { destinations: [A], asked: true, now: 1000 });
    rememberSent(userDir, '/r', { destinations: [B], asked: true, now: 0 });
    expect(unagreed(sentFrom(userDir, '/r'), [A, B])).toEqual([]);
    expect(sentFrom(userDir, '/r')).toEqual([
      { ...A, at: '1970-01-01T00:00:01.000Z', asked: true },
      { ...B, at: '1970-01-01T00:00:00.000Z', asked: true },
    ]);
    expect(unagreed(sentFrom(userDir, '/r'), [{ ...A, host: 'other.host' }])).toHaveLength(1);
    expect(unagreed(sentFrom(userDir, '/other'), [A])).toEqual([A]);
    expect(statSync(join(userDir, 'sent')).mode & 0o777).toBe(0o700);
  });

  it.each(['', '{', '{"providers":[1,null,{"provider":"openrouter"}]}', '[]'])(
    'is nothing known where the file is %j',
    (text) => {
      const userDir = makeFolder();
      rememberSent(userDir, '/r', { destinations: [A], asked: true, now: 0 });
      const [name = ''] = readdirSync(join(userDir, 'sent'));
      writeFileSync(join(userDir, 'sent', name), text);
      expect(sentFrom(userDir, '/r')).toEqual([]);
      rememberSent(userDir, '/r', { destinations: [A], asked: true, now: 0 });
      expect(sentFrom(userDir, '/r')).toHaveLength(1);
    },
  );

  it('reads as a sentence', () => {
    expect(destinationsText([A])).toBe('openrouter (openrouter.ai)');
    expect(destinationsText([A, B, A])).toBe(
      'openrouter (openrouter.ai), deepseek (api.deepseek.com) and openrouter (openrouter.ai)',
    );
  });
});

describe('a session’s first job of a repository', () => {
  function session() {
    const userDir = makeFolder();
    const repo = makeRepository({ 'a.txt': 'a\n' });
    writeFileSync(join(userDir, 'config.yaml'), 'mode: auto\n');
    writeBounds(userDir, { ...DEFAULT_BOUNDS, sendsTo: [A] });
    const hears = (command: string, env: Record<string, string> = {}, cwd = repo) =>
      JSON.stringify(
        preToolUse({
          input: { session_id: 's1', tool_name: 'Bash', tool_input: { command }, cwd },
          env,
          userDir,
          now: Date.now(),
        }),
      );
    return { userDir, repo, hears };
  }

  it('meets the dialog until somebody has said yes, and leaves the consent for the program', () => {
    const { userDir, repo, hears } = session();
    expect(hears('cc-delegate start fix')).toMatch(/"ask".*openrouter \(openrouter.ai\), for the first time/);
    const need = { verb: 'start', why: '', words: [] };
    expect(burn(userDir, 's1', { argv: ['start', 'fix'], need, now: Date.now() })).toMatchObject({
      kind: 'dialog',
      to: [A],
    });
    rememberSent(userDir, repo, { destinations: [A], asked: false, now: 0 });
    expect(hears('cc-delegate start fix')).toMatch(/"ask"/);
    rememberSent(userDir, repo, { destinations: [A], asked: true, now: 0 });
    expect(hears('cc-delegate start fix')).toBe('null');
    expect(hears('cc-delegate status', {}, makeFolder())).toBe('null');
  });

  it('names where a call sends that names its model or profile, and nothing else', () => {
    const { userDir, hears } = session();
    const named = {
      profiles: { lan: [{ provider: 'openai-compatible', host: 'llm.corp' }] },
      providers: { deepseek: [B] },
    };
    writeBounds(userDir, { ...DEFAULT_BOUNDS, sendsTo: [A], named });
    for (const [call, host] of [
      ['start fix --model deepseek:deepseek-chat', 'deepseek (api.deepseek.com)'],
      ['start fix --profile lan', 'openai-compatible (llm.corp)'],
      ['start fix --model=groq:llama', null],
    ] as const) {
      const heard = hears(`cc-delegate ${call}`);
      expect(heard).toContain('"ask"');
      expect(heard).not.toContain('openrouter');
      if (host !== null) expect(heard).toContain(host);
      const need = { verb: 'start', why: '', words: [] };
      const grant = burn(userDir, 's1', { argv: call.split(' '), need, now: Date.now() });
      if (grant?.kind !== 'dialog') throw new Error('the dialog left no consent');
      expect(grant.to === undefined ? null : destinationsText(grant.to)).toBe(host);
    }
  });

  it('is told by the repository of the call, and of its --repo', () => {
    const { userDir, repo, hears } = session();
    rememberSent(userDir, repo, { destinations: [A], asked: true, now: 0 });
    const other = makeRepository({ 'b/c.txt': 'c\n' });
    expect(hears('cc-delegate ask why', {}, join(other, 'b'))).toMatch(/"ask"/);
    expect(hears(`cc-delegate start fix --repo ${other}`)).toMatch(/"ask"/);
    expect(hears(`cc-delegate start fix --repo ${repo}`, {}, other)).toBe('null');
    expect(hears('cc-delegate ask why', {}, makeFolder())).toMatch(/"ask"/);
    rememberSent(userDir, join(userDir, 'asks'), { destinations: [A], asked: true, now: 0 });
    expect(hears('cc-delegate ask why', {}, makeFolder())).toBe('null');
  });

  it('needs no dialog where the person typed the command, and none where nobody is there', () => {
    const { userDir, hears } = session();
    expect(hears('cc-delegate start fix', { CLAUDE_CODE_SESSION_ATTENDED: '0' })).toBe('null');
    const typed = typedGrant('delegate', 'fix the bug', Date.now());
    if (typed !== null) mint(userDir, 's1', typed);
    expect(hears('cc-delegate start fix')).toBe('null');
  });
});
