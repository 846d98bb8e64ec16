import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNativeEngine } from '../../../src/engine/native/engine.ts';
import { type Message, resultPart } from '../../../src/engine/native/messages.ts';
import { createTranscript, resumeTranscript, writeLine } from '../../../src/engine/native/transcript.ts';
import { stripControls } from '../../../src/job/format.ts';
import { createRedactor } from '../../../src/job/redaction/redactor.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { eventsOf, fastClock, finish, modelRef, scripted } from '../harness.ts';

const CALL = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'read', input: { path: 'a' } };

function newFile(): string {
  return join(makeFolder(), 'deep', 'transcript.ndjson');
}

describe('a transcript', () => {
  it('starts with a line that names engine and version, and holds every message', async () => {
    const model = await scripted([{ calls: [{ name: 'read', args: { path: 'a' } }] }, { text: 'done' }]);
    const { file } = await finish({
      engine: createNativeEngine(fastClock()),
      models: [modelRef(model, 'openai-chat')],
    });
    const [header, ...lines] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header).toEqual({ engine: 'native', version: 1 });
    expect(lines.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('can be continued: the next request has all of it and the new prompt', async () => {
    const model = await scripted([
      { calls: [{ name: 'read', args: { path: 'a' } }] },
      { text: 'done' },
      { text: 'again' },
    ]);
    const engine = createNativeEngine(fastClock());
    const models = [modelRef(model, 'openai-chat')] as const;
    const { file } = await finish({ engine, models });
    const { outcome } = await finish({
      engine,
      models,
      spec: { prompt: 'Now more.', conversation: { file, resume: true } },
    });
    expect(outcome).toEqual({ status: 'done', finalText: 'again' });
    const roles = model.requests[2]?.body.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(model.requests[2]?.text).toContain('Now more.');
  });

  it('loses nothing but a torn last line, which is cut off the file', () => {
    const file = newFile();
    createTranscript(file);
    writeLine(file, { t: 'message', message: { role: 'user', content: 'hello' } });
    const whole = readFileSync(file, 'utf8');
    appendFileSync(file, '{"t":"message","mess');
    expect(resumeTranscript(file)).toEqual({
      messages: [{ role: 'user', content: 'hello' }],
      problems: [expect.stringContaining('torn')],
    });
    expect(readFileSync(file, 'utf8')).toBe(whole);
  });

  it('names a line in the middle that cannot be read, and goes on', () => {
    const file = newFile();
    createTranscript(file);
    appendFileSync(file, 'garbage\n');
    writeLine(file, { t: 'message', message: { role: 'user', content: 'hello' } });
    expect(resumeTranscript(file)).toEqual({
      messages: [{ role: 'user', content: 'hello' }],
      problems: [expect.stringContaining('line 2')],
    });
  });

  it('says of a call without a result that it was interrupted', () => {
    const file = newFile();
    createTranscript(file);
    writeLine(file, {
      t: 'message',
      message: { role: 'assistant', content: [CALL, { ...CALL, toolCallId: 'c2' }] },
    });
    const output = { type: 'text' as const, value: 'fine' };
    const result = { type: 'tool-result' as const, toolCallId: 'c2', toolName: 'read', output };
    writeLine(file, { t: 'message', message: { role: 'tool', content: [result] } });
    const tool = resumeTranscript(file)?.messages.at(-1);
    expect(tool).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'c1', output: { type: 'error-text', value: expect.stringContaining('interrupted') } },
        result,
      ],
    });
  });

  it.each(['', '{"engine":"claude","version":1}\n', '{"engine":"native","version":99}\n', 'no json\n'])(
    'is not continued when its header is %j',
    (content) => {
      const file = join(makeFolder(), 't.ndjson');
      writeFileSync(file, content);
      expect(resumeTranscript(file)).toBeNull();
    },
  );

  it('starts anew with a warning when there is none to resume', async () => {
    const model = await scripted([{ text: 'done' }]);
    const file = newFile();
    const { outcome, events } = await finish({
      engine: createNativeEngine(fastClock()),
      models: [modelRef(model, 'openai-chat')],
      spec: { conversation: { file, resume: true } },
    });
    expect(outcome.status).toBe('done');
    expect(eventsOf(events, 'warn')).toHaveLength(1);
  });

  it('fails the run, not the process, when it cannot be written', async () => {
    const model = await scripted([{ text: 'done' }]);
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    const { outcome } = await finish({
      engine: createNativeEngine(fastClock()),
      models: [modelRef(model, 'openai-chat')],
      spec: { conversation: { file: join(file, 'below'), resume: false } },
    });
    expect(outcome).toMatchObject({ status: 'failed', kind: 'engine' });
  });
});

describe('a transcript with a redactor', () => {
  const SECRET = 'quiet-value-77';
  const redactor = createRedactor({ values: [{ kind: 'key', value: SECRET }] });
  const pattern = 'DB_PASSWORD=hunter2hunter';
  const hidden = 'DB_PASSWORD=[redacted:env-secret]';

  it('holds no secret in any message, and is read again in the same form', () => {
    const file = newFile();
    createTranscript(file);
    const said = `${SECRET} ${pattern}`;
    const call = { ...CALL, input: { path: said, deep: [{ [SECRET]: said }] } };
    const signed = { providerOptions: { google: { signature: `eyJ ${pattern}`, echo: SECRET } } };
    const messages: Message[] = [
      { role: 'user', content: said },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: said },
          { type: 'text', text: said },
          { ...call, ...signed },
        ],
      },
      { role: 'tool', content: [resultPart({ id: 'c1', name: 'read' }, true, said)] },
    ];
    for (const message of messages) writeLine(file, { t: 'message', message }, redactor);
    const read = resumeTranscript(file);
    const clean = `[redacted:key] ${hidden}`;
    expect(read).toEqual({
      problems: [],
      messages: [
        { role: 'user', content: clean },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: clean },
            { type: 'text', text: clean },
            {
              ...CALL,
              input: { path: clean, deep: [{ '[redacted:key]': clean }] },
              // A signature that only looks like a secret is none, and the provider wants it back.
              providerOptions: { google: { signature: `eyJ ${pattern}`, echo: '[redacted:key]' } },
            },
          ],
        },
        { role: 'tool', content: [resultPart({ id: 'c1', name: 'read' }, true, clean)] },
      ],
    });
    writeLine(file, { t: 'compacted', before: 2, after: 1, messages }, redactor);
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
    expect(resumeTranscript(file)?.messages).toEqual(read?.messages);
  });

  it('has no control character in the file, and all of them when it is read', () => {
    const file = newFile();
    createTranscript(file);
    const content = 'a\u001b[2J\u009b\u202e\u{e0041}\u200b\u007f\r\n\tz';
    writeLine(file, { t: 'message', message: { role: 'user', content } }, redactor);
    const text = readFileSync(file, 'utf8');
    expect(stripControls(text)).toBe(text);
    expect(resumeTranscript(file)?.messages).toEqual([{ role: 'user', content }]);
  });

  it('is what a run writes and goes on with, while the model is sent what there was', async () => {
    const model = await scripted([{ text: `I saw ${SECRET}` }, { text: 'again' }]);
    const engine = createNativeEngine(fastClock());
    const models = [modelRef(model, 'openai-chat')] as const;
    const file = newFile();
    const first = { prompt: `use ${SECRET}`, conversation: { file, resume: false, redactor } };
    await finish({ engine, models, spec: first });
    expect(model.requests[0]?.text).toContain(SECRET);
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
    await finish({
      engine,
      models,
      spec: { prompt: 'more', conversation: { file, resume: true, redactor } },
    });
    expect(model.requests[1]?.text).toContain('I saw [redacted:key]');
    expect(model.requests[1]?.text).not.toContain(SECRET);
  });
});
