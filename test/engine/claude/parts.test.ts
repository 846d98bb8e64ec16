import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { agentsText, modelNames } from '../../../src/engine/claude/agents.ts';
import { type ClientStart, clientArgv } from '../../../src/engine/claude/argv.ts';
import { runHook } from '../../../src/engine/claude/inside/hook.ts';
import { LineReader } from '../../../src/engine/claude/lines.ts';
import { guardSettings, settingsProblem } from '../../../src/engine/claude/settings.ts';
import { Steering } from '../../../src/engine/claude/steering.ts';
import { Transcript } from '../../../src/engine/claude/transcript.ts';
import type { ModelRef } from '../../../src/engine/engine.ts';
import { makeFolder } from '../../helpers/repository.ts';

const REF: ModelRef = {
  provider: 'p',
  model: 'glm',
  api: 'anthropic',
  baseUrl: 'http://x.invalid',
  apiKey: null,
  headers: {},
  prices: null,
  contextWindow: null,
  maxOutput: null,
};

/** What reaches the supervisor, as rules. */
const PROGRAMS = 'Bash(ask_supervisor:*),Bash(report_progress:*),Bash(report_blocker:*)';

describe('the arguments of the client', () => {
  const options = {
    tools: ['Bash', 'Read', 'Task'],
    allowTools: [],
    denyTools: [],
    permissionMode: null,
    addDirs: [],
    maxTurns: 7,
    prompt: 'slim',
  } as const;
  const start: ClientStart = {
    settingsFile: '/f/settings.json',
    systemFile: '/f/system.txt',
    agentsFile: null,
    session: { id: 'uuid', resume: false },
    model: 'glm',
  };
  const argv = (more: object, from: Partial<ClientStart> = {}) =>
    clientArgv({ ...options, ...more }, { ...start, ...from });

  it('allow everything that is offered when nobody said anything: the sandbox is the wall', () => {
    const found = argv({});
    expect(found).toContain('--tools=Bash,Read,Task');
    expect(found).toContain('--allowedTools=Bash,Read,Task');
    expect(found.slice(found.indexOf('--permission-mode')).slice(0, 2)).toEqual([
      '--permission-mode',
      'bypassPermissions',
    ]);
    expect(found).toContain('--max-turns=7');
    expect(found).toContain('--session-id');
    expect(found[found.indexOf('--setting-sources') + 1]).toBe('');
    expect(found).toContain('--strict-mcp-config');
  });

  it('offer only tools that some rule allows, and pass the rules on as they are', () => {
    const found = argv({ allowTools: ['Bash(git log *)', 'Read'], denyTools: ['Bash(git push:*)'] });
    expect(found).toContain('--tools=Bash,Read');
    expect(found).toContain(`--allowedTools=Bash(git log *),Read,${PROGRAMS}`);
    expect(found).toContain('--disallowedTools=Bash(git push:*)');
    expect(found).toContain('dontAsk');
    expect(found).not.toContain('bypassPermissions');
  });

  it.each<[string | null, readonly string[], { mode: string; tools: string; allowed: string | undefined }]>([
    ['default', [], { mode: 'default', tools: 'Bash,Read,Edit,Write', allowed: PROGRAMS }],
    ['acceptEdits', [], { mode: 'acceptEdits', tools: 'Bash,Read,Edit,Write', allowed: PROGRAMS }],
    ['acceptEdits', ['Read'], { mode: 'acceptEdits', tools: 'Read,Edit,Write', allowed: 'Read' }],
    ['dontAsk', ['Bash(ls)'], { mode: 'dontAsk', tools: 'Bash,Read', allowed: `Bash(ls),${PROGRAMS}` }],
    ['plan', ['Bash', 'Write'], { mode: 'plan', tools: 'Bash,Read,Write', allowed: PROGRAMS }],
    ['auto', [], { mode: 'auto', tools: 'Bash,Read,Edit,Write', allowed: PROGRAMS }],
    ['auto', ['Edit(src/**)'], { mode: 'dontAsk', tools: 'Edit', allowed: 'Edit(src/**)' }],
    ['bypassPermissions', ['Edit(src/**)'], { mode: 'dontAsk', tools: 'Edit', allowed: 'Edit(src/**)' }],
    [null, ['Task'], { mode: 'dontAsk', tools: '', allowed: 'Task' }],
  ])(
    'leave the supervisor reachable, and no mode wider than it is: %s with %j',
    (permissionMode, allowTools, wanted) => {
      const found = argv({ tools: ['Bash', 'Read', 'Edit', 'Write'], permissionMode, allowTools });
      const optionOf = (option: string) =>
        found.find((each) => each.startsWith(`${option}=`))?.slice(option.length + 1);
      expect({
        mode: found[found.indexOf('--permission-mode') + 1],
        tools: optionOf('--tools'),
        allowed: optionOf('--allowedTools'),
      }).toEqual(wanted);
    },
  );

  it('never let what a person typed become an option of its own', () => {
    const found = argv(
      { addDirs: ['--bare'], denyTools: ['--bare'], permissionMode: 'plan' },
      { model: '--bare' },
    );
    expect(found).not.toContain('--bare');
    expect(found).toContain('--add-dir=--bare');
    expect(found).toContain('--model=--bare');
  });

  it('give a resumed conversation its new system prompt', () => {
    const found = argv({ prompt: 'full' }, { session: { id: 'uuid', resume: true } });
    expect(found).not.toContain('--session-id');
    expect(found.join(' ')).toContain('--resume uuid --system-prompt-snapshot off');
    expect(found.join(' ')).toContain('--append-system-prompt-file /f/system.txt');
    expect(found).not.toContain('--system-prompt-file');
  });
});

describe('the settings of the guard', () => {
  const wanted = guardSettings({ node: '/node', inside: '/inside.mjs', longestCommandMs: 5, answerMs: 9 });
  it.each<{ what: string; text: string | null; says: RegExp | null }>([
    { what: 'as written', text: wanted, says: null },
    { what: 'gone', text: null, says: /cannot be read: .*ENOENT/ },
    { what: 'empty', text: '', says: /are no settings/ },
    { what: 'cut off', text: wanted.slice(0, -3), says: /are no settings/ },
    { what: 'with hooks off', text: wanted.replace('false', 'true'), says: /are no settings/ },
    { what: 'without the hook', text: '{"disableAllHooks":false}', says: /are no settings/ },
    {
      what: 'of another form',
      text: wanted.replace('"timeout": 60', '"timeout": "60"'),
      says: /are no settings/,
    },
    {
      what: 'well-formed, with another program',
      text: wanted.replace('/node', '/evil'),
      says: /not what was written/,
    },
  ])('are looked at before each start: $what', ({ text, says }) => {
    const file = join(makeFolder(), 'settings.json');
    if (text !== null) writeFileSync(file, text);
    const problem = settingsProblem(file, wanted);
    if (says === null) expect(problem).toBeNull();
    else expect(problem).toMatch(says);
  });
});

describe('the hook', () => {
  const input = (command: unknown) => JSON.stringify({ cwd: '/w', tool_input: { command } });
  const env = { CC_DELEGATE_GATEWAY: '/nowhere/gateway.sock', CC_DELEGATE_TOKEN: 't' };
  it.each([
    { what: 'a gateway that is gone', stdin: input('ls'), env },
    { what: 'no gateway at all', stdin: input('ls'), env: {} },
    { what: 'no command', stdin: input(7), env },
    { what: 'no JSON', stdin: '', env },
  ])('blocks with exit code 2: $what', async ({ stdin, env: given }) => {
    const said = await runHook(stdin, given, { longestMs: 1, answerMs: 1 });
    expect(said).toMatchObject({ exitCode: 2, stdout: '' });
    expect(said.stderr).toContain('nothing was run');
  });
});

describe('lines', () => {
  function read(chunks: readonly (string | Uint8Array)[], longest?: number) {
    const lines: string[] = [];
    let tooLong = 0;
    const reader = new LineReader(
      (line) => lines.push(line),
      () => {
        tooLong += 1;
      },
      longest,
    );
    for (const chunk of chunks) reader.push(Buffer.from(chunk));
    reader.end();
    return { lines, tooLong };
  }
  it('are whole wherever the chunks end, in the middle of a character too', () => {
    const bytes = Buffer.from('{"a":"é"}\n\n{"b":1}\nlast');
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(read(chunks).lines).toEqual(['{"a":"é"}', '{"b":1}', 'last']);
  });
  it('that are too long are left out, and the next one is read', () => {
    expect(read(['x'.repeat(6), 'x'.repeat(6), 'x\nnext\n'], 10)).toEqual({ lines: ['next'], tooLong: 1 });
  });
});

describe('sub-agents', () => {
  it('have names of their own for their models, and no tool their parent has not', () => {
    const names = modelNames(
      { models: [REF] },
      { small: null, roles: { tester: { ...REF, model: 'cheap' } } },
    );
    expect(names.main).toMatchObject({ name: 'glm', role: 'worker', agent: 'main' });
    expect(names.subAgents.map(({ name }) => name)).toEqual([
      'glm@implementer',
      'cheap@tester',
      'glm@reviewer',
    ]);
    const agents = JSON.parse(agentsText(names.subAgents, ['Read', 'Bash', 'Task']));
    expect(agents.tester).toMatchObject({ model: 'cheap@tester', tools: ['Bash', 'Read'] });
    expect(agents.reviewer.tools).toEqual(['Read']);
  });
});

describe('steering', () => {
  it('waits for a message that was not taken, but not for ever', async () => {
    const delivered: string[] = [];
    const steering = new Steering((id) => delivered.push(id), 50);
    const stdin = new PassThrough();
    steering.send('early', 'm0');
    steering.open(stdin, 'the task');
    steering.turnEnded();
    expect(stdin.writableEnded).toBe(false);
    await new Promise((resolve) => stdin.once('finish', resolve));
    const lines = stdin
      .read()
      .toString()
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    expect(lines.map(({ message }: { message: { content: string } }) => message.content)).toEqual([
      'the task',
      'early',
    ]);
    steering.replayed(lines[1].uuid);
    steering.replayed('unknown');
    expect(delivered).toEqual(['m0']);
  });
});

describe('the transcript', () => {
  const line = (n: number) => `${JSON.stringify({ type: 'user', n })}\n`;
  function opened(file: string, resume = false) {
    return Transcript.open({ file, resume }, '123e4567-e89b-42d3-a456-426614174000');
  }
  const bodyOf = (file: string) => readFileSync(file, 'utf8').split('\n').slice(1).join('\n');

  it('takes every line once, whatever is posted twice', () => {
    const file = join(makeFolder(), 't.ndjson');
    const { transcript } = opened(file);
    const [one, two] = [Buffer.from(line(1)), Buffer.from(line(2))];
    transcript.append(one, 0);
    transcript.append(two, one.length);
    transcript.append(two, one.length);
    expect(bodyOf(file)).toBe(line(1) + line(2));
  });

  it('takes a line that could not be written when it is given once more', () => {
    const file = join(makeFolder(), 't.ndjson');
    const { transcript } = opened(file);
    const [one, two] = [Buffer.from(line(1)), Buffer.from(line(2))];
    transcript.append(one, 0);
    renameSync(file, `${file}.aside`);
    mkdirSync(file);
    expect(() => transcript.append(two, one.length)).toThrow();
    rmdirSync(file);
    renameSync(`${file}.aside`, file);
    transcript.append(two, one.length);
    expect(bodyOf(file)).toBe(line(1) + line(2));
  });

  it('has an end, whatever is posted', () => {
    const file = join(makeFolder(), 't.ndjson');
    const id = '123e4567-e89b-42d3-a456-426614174000';
    const { transcript } = Transcript.open({ file, resume: false }, id, 2 * line(1).length);
    const kept = [1, 2, 3].map((n) => transcript.append(Buffer.from(line(n)), (n - 1) * line(1).length));
    expect(kept).toEqual([true, true, false]);
    expect(bodyOf(file)).toBe(line(1) + line(2));
  });

  it('begins anew with a session the client has begun anew', () => {
    const file = join(makeFolder(), 't.ndjson');
    const { transcript } = opened(file);
    transcript.append(Buffer.from(line(1)), 0);
    transcript.follow('00000000-0000-4000-8000-000000000001');
    transcript.append(Buffer.from(line(1) + line(2)), 0);
    expect(bodyOf(file)).toBe(line(1) + line(2));
    expect(opened(file, true).session).toBe('00000000-0000-4000-8000-000000000001');
  });

  it.each([
    { what: 'missing', text: null },
    { what: 'of the other engine', text: '{"engine":"native","version":1}\n{"t":"message"}\n' },
    {
      what: 'of a later version',
      text: `${JSON.stringify({ engine: 'claude', version: 2, session: 'x' })}\n`,
    },
    { what: 'empty', text: '' },
  ])('starts anew, and says so, where there is none to go on with: $what', ({ text }) => {
    const file = join(makeFolder(), 't.ndjson');
    if (text !== null) writeFileSync(file, text);
    const { lines, problems } = opened(file, true);
    expect(lines).toBeNull();
    expect(problems).toEqual(['there is no transcript to resume: the conversation starts anew']);
  });

  it('leaves out lines that cannot be read, and says how many', () => {
    const file = join(makeFolder(), 't.ndjson');
    const { transcript } = opened(file);
    transcript.append(Buffer.from(line(1)), 0);
    writeFileSync(file, `${readFileSync(file, 'utf8')}garbage\n${line(3)}`);
    const again = opened(file, true);
    expect(again.lines).toBe(line(1) + line(3));
    expect(again.problems).toEqual(['1 lines of the transcript cannot be read and are left out']);
  });
});
