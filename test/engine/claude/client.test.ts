import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import * as z from 'zod';
import type { ClaudeOptions } from '../../../src/engine/claude/options.ts';
import type { EngineEvent, EngineRun, ToolDefinition } from '../../../src/engine/engine.ts';
import type { Script, ScriptedRequest } from '../../../src/engine/scripted/server.ts';
import type { Turn } from '../../../src/engine/scripted/turn.ts';
import { needsClient } from '../../client/client.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { eventually, processesWith } from '../../workspace/sandbox/helpers.ts';
import { begin, eventsOf, modelRef, type Setup, scripted } from '../harness.ts';
import { makeScene, SIX_TOOLS } from './scene.ts';

const bash = (command: string, more: object = {}): Turn => ({
  calls: [{ name: 'Bash', args: { command, ...more } }],
});
const DONE: Turn = { text: 'All done.' };

/** The names of the tools a request offers, in order of the alphabet. */
function offered(request: ScriptedRequest | undefined): string[] {
  const tools = z.array(z.looseObject({ name: z.string() })).parse(request?.body.tools);
  return tools.map(({ name }) => name).toSorted();
}

function running(mark: string): Promise<unknown> {
  return eventually(
    () => processesWith(mark),
    (seen) => seen.length > 0,
  );
}

interface Given extends Partial<Omit<Setup, 'engine' | 'models'>> {
  readonly options?: Partial<ClaudeOptions> & { readonly level?: 'full' | 'none' };
  readonly scene?: Awaited<ReturnType<typeof makeScene>>;
}

/** The real client on a scripted endpoint, to the end of its run. */
async function work(test: TestContext, script: Script, given: Given = {}) {
  const model = await scripted(script);
  const scene = given.scene ?? (await makeScene(needsClient(test), given.options));
  const started = begin({
    tools: [],
    ...given,
    engine: scene.engine(),
    models: [modelRef(model, 'anthropic')],
  });
  return { ...started, scene, model, outcome: await started.run.done };
}

it('does a small task: tools, steps, files, and a first request of at most 14 KB', async (test) => {
  const { outcome, events, scene, model } = await work(test, [
    { calls: [{ name: 'Write', args: { file_path: 'a.txt', content: 'one' } }] },
    bash('cat a.txt; exit 3'),
    DONE,
  ]);
  expect(outcome).toEqual({ status: 'done', finalText: 'All done.' });
  expect(readFileSync(join(scene.work, 'a.txt'), 'utf8')).toBe('one');
  const ends = eventsOf(events, 'tool_end').map(({ tool, ok, summary }) => `${tool} ${ok} ${summary}`);
  expect(ends).toEqual(['Write true a.txt', 'Bash false cat a.txt; exit 3 → Exit code 3']);
  expect(eventsOf(events, 'step_start')).toHaveLength(3);
  const [first] = model.requests;
  expect(Buffer.byteLength(first?.text ?? '')).toBeLessThan(14_000);
  expect(offered(first)).toEqual(SIX_TOOLS.toSorted());
  expect(first?.text).toContain('You are a test.');
  expect(first?.text).not.toContain('Co-Authored-By');
});

it('asks the guard before every command, and the model reads why it was refused', async (test) => {
  const asked: string[] = [];
  const { outcome, model, scene } = await work(test, [bash('touch refused'), bash('touch allowed'), DONE], {
    options: {
      guard: (command) => {
        asked.push(command);
        return command.includes('refused') ? { allow: false, reason: 'not in this job' } : { allow: true };
      },
    },
  });
  expect(outcome).toMatchObject({ status: 'done' });
  expect(asked).toEqual(['touch refused', 'touch allowed']);
  expect(model.requests[1]?.text).toContain('not in this job');
  expect(existsSync(join(scene.work, 'refused'))).toBe(false);
  expect(existsSync(join(scene.work, 'allowed'))).toBe(true);
});

it('runs no command when the guard cannot be asked', async (test) => {
  const { model, scene } = await work(test, [bash('touch unasked'), DONE], {
    options: {
      guard: () => {
        throw new Error('the guard is broken');
      },
    },
  });
  expect(model.requests[1]?.text).toContain('nothing was run');
  expect(existsSync(join(scene.work, 'unasked'))).toBe(false);
});

it('lets the worker ask its supervisor with a program, and makes no model call while it waits', async (test) => {
  const seen: unknown[] = [];
  const input = z.strictObject({ question: z.string().min(1), context: z.string().optional() });
  const ask: ToolDefinition = {
    name: 'ask_supervisor',
    description: 'asks',
    input,
    readOnly: false,
    run: async (args) => {
      seen.push(args);
      // Longer than a command may take when nothing is said.
      await new Promise((resolve) => setTimeout(resolve, 2500));
      seen.push(model.length);
      return { ok: true, text: 'Take the blue one.', summary: '' };
    },
  };
  let model: readonly unknown[] = [];
  const question = 'Which one, "red" or $blue?';
  const command = `printf '%s' 'the context' | ask_supervisor ${JSON.stringify(question).replace('$', '\\$')} -`;
  const { outcome, model: endpoint } = await work(
    test,
    (request) => {
      model = [...model, request];
      return request.index === 0 ? bash(command) : DONE;
    },
    { tools: [ask], options: { commandTimeoutMs: 1000, longestCommandMs: 1500, level: 'full' } },
  );
  expect(outcome).toMatchObject({ status: 'done' });
  expect(seen).toEqual([{ question, context: 'the context' }, 1]);
  expect(endpoint.requests[1]?.text).toContain('Take the blue one.');
});

it('ends a command at its time limit, whatever the model asks for', async (test) => {
  const { model } = await work(test, [bash('sleep 30', { timeout: 50_000 }), DONE], {
    options: { commandTimeoutMs: 1000, longestCommandMs: 2000 },
  });
  expect(model.requests[1]?.text).toContain('timed out after 2s');
});

it('delivers steering with the next tool result and a receipt, commands of the client too', async (test) => {
  const { outcome, events, model } = await work(test, [bash('sleep 1'), DONE], {
    onEvent: (event: EngineEvent, run: EngineRun) => {
      if (event.t !== 'tool_start') return;
      run.steer({ id: 'm1', text: 'first word' });
      run.steer({ id: 'm2', text: '/compact now' });
    },
  });
  expect(outcome).toMatchObject({ status: 'done' });
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]?.text).toMatch(/first word.*compact now/s);
  expect(eventsOf(events, 'steer_delivered').flatMap(({ ids }) => ids)).toEqual(['m1', 'm2']);
});

it('hears its request again where the client has cut it off with the oldest messages', async (test) => {
  const tooLong = {
    type: 'invalid_request_error',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
  };
  const { outcome, events, model } = await work(
    test,
    ({ index }) => {
      if (index === 0) return bash('true');
      return index === 1 ? { status: 400, body: { type: 'error', error: tooLong } } : DONE;
    },
    { options: { request: 'Write the poem of the day.' } },
  );
  expect(outcome).toMatchObject({ status: 'done' });
  expect(eventsOf(events, 'compacted')).toHaveLength(1);
  expect(model.requests.at(-1)?.text).toMatch(/The conversation was cut.*Write the poem of the day\./s);
});

it('takes a prompt that looks like a command of the client for a prompt', async (test) => {
  const { outcome, model } = await work(test, [DONE], { spec: { prompt: '/compact' } });
  expect(outcome).toMatchObject({ status: 'done', finalText: 'All done.' });
  expect(model.requests[0]?.text).toContain('/compact');
});

it('stops at the last turn that is allowed', async (test) => {
  const { outcome, model } = await work(test, ({ index }) => bash(`echo ${index}`), {
    options: { maxTurns: 2 },
  });
  expect(outcome).toMatchObject({ status: 'stopped', stop: { reason: 'max_steps' } });
  expect(model.requests).toHaveLength(2);
});

it('leaves no process when it is stopped in the middle of a command', async (test) => {
  const mark = `76.${process.pid}`;
  const { outcome, scene } = await work(test, [bash(`sleep ${mark}; touch ended`), DONE], {
    options: { level: 'full' },
    onEvent: (event, run) => {
      if (event.t === 'tool_start') void running(mark).then(() => run.abort());
    },
  });
  expect(outcome).toEqual({ status: 'aborted' });
  expect(existsSync(join(scene.work, 'ended'))).toBe(false);
  expect(processesWith(mark)).toEqual([]);
  expect(processesWith(scene.options.folder)).toEqual([]);
});

it('goes on with a conversation in another home, with what it is told now, and offers what is allowed now', async (test) => {
  const conversation = { file: join(makeFolder(), 'transcript.ndjson'), resume: false };
  const turns = [bash('echo the-number-is-4711'), DONE];
  const first = await work(test, turns, { spec: { conversation, prompt: 'Remember the word plum.' } });
  expect(first.outcome).toMatchObject({ status: 'done' });
  const second = await work(test, [DONE], {
    spec: {
      conversation: { ...conversation, resume: true },
      prompt: 'Which word?',
      system: 'You only read.',
    },
    options: { tools: ['Read', 'Grep', 'Glob'] },
  });
  expect(second.outcome).toMatchObject({ status: 'done' });
  const [request] = second.model.requests;
  for (const words of [
    'Remember the word plum.',
    'the-number-is-4711',
    'All done.',
    'Which word?',
    'You only read.',
  ]) {
    expect(request?.text).toContain(words);
  }
  expect(request?.text).not.toContain('You are a test.');
  expect(JSON.stringify(request?.body.tools)).not.toContain('"Bash"');
  expect(eventsOf(second.events, 'warn')).toEqual([]);
});

it('goes on with its own conversation, though a command of it has started a client too', async (test) => {
  const conversation = { file: join(makeFolder(), 'transcript.ndjson'), resume: false };
  const nested = bash(`"${needsClient(test)}" -p "A question of the nested one." | cat; sleep 1`);
  const first = await work(
    test,
    (request) => {
      const words = JSON.stringify(request.body.messages);
      if (words.includes('nested one') && !words.includes('Remember')) return { text: 'nested answer' };
      return words.includes('nested answer') ? DONE : nested;
    },
    { spec: { conversation, prompt: 'Remember the word plum.' } },
  );
  expect(first.outcome).toEqual({ status: 'done', finalText: 'All done.' });
  const again = { conversation: { ...conversation, resume: true }, prompt: 'Which word?' };
  const second = await work(test, [DONE], { spec: again });
  expect(second.model.requests[0]?.text).toContain('Remember the word plum.');
  expect(second.model.requests[0]?.text).toContain('All done.');
});

it('goes on after it was stopped in the middle of a command', async (test) => {
  const conversation = { file: join(makeFolder(), 'transcript.ndjson'), resume: false };
  const mark = `75.${process.pid}`;
  const first = await work(test, [bash(`sleep ${mark}`)], {
    spec: { conversation },
    onEvent: (event, run) => {
      if (event.t === 'tool_start') void running(mark).then(() => run.abort());
    },
  });
  expect(first.outcome).toEqual({ status: 'aborted' });
  const again = { conversation: { ...conversation, resume: true }, prompt: 'Go on.' };
  const second = await work(test, [DONE], { spec: again });
  expect(second.outcome).toMatchObject({ status: 'done' });
  expect(second.model.requests[0]?.text).toContain(`sleep ${mark}`);
  expect(second.model.requests[0]?.text).toMatch(/"tool_result".*Go on\./s);
});

it('gives each sub-agent the model and the tools of its role, and its events its name', async (test) => {
  const model = await scripted(({ role, index }) => {
    if (role === 'tester') return index === 0 ? bash('echo tested') : { text: 'tests written' };
    const args = { description: 'tests', prompt: 'Write tests.', subagent_type: 'tester' };
    return index === 0 ? { calls: [{ name: 'Agent', args }] } : DONE;
  });
  const scene = await makeScene(needsClient(test), {
    tools: [...SIX_TOOLS, 'Task'],
    roles: { tester: modelRef(model, 'anthropic', { model: 'tester-model' }) },
  });
  const { run, events } = begin({
    tools: [],
    engine: scene.engine(),
    models: [modelRef(model, 'anthropic')],
  });
  expect(await run.done).toMatchObject({ status: 'done', finalText: 'All done.' });
  const asked = model.requests.map(({ role, body }) => `${role} ${body.model}`);
  expect(asked).toEqual(['worker scripted', 'tester tester-model', 'tester tester-model', 'worker scripted']);
  expect(eventsOf(events, 'tool_end').map(({ agent, tool }) => `${agent} ${tool}`)).toEqual([
    'tester#1 Bash',
    'main Agent',
  ]);
});

it('allows what is on the list, and denies the rest', async (test) => {
  const { model, scene } = await work(test, [bash('touch denied'), bash('echo yes'), DONE], {
    options: { allowTools: ['Bash(echo *)', 'Read'] },
  });
  expect(existsSync(join(scene.work, 'denied'))).toBe(false);
  expect(model.requests[1]?.text).toContain('denied');
  expect(model.requests[2]?.text).toContain('yes');
  expect(offered(model.requests[0])).toEqual(['Bash', 'Read']);
});

it('takes nothing from settings in the project or the home', async (test) => {
  const client = needsClient(test);
  const scene = await makeScene(client);
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${scene.work}/pwned` }] }] };
  for (const folder of [scene.work, scene.home]) {
    mkdirSync(join(folder, '.claude'), { recursive: true });
    writeFileSync(join(folder, '.claude', 'settings.json'), JSON.stringify({ hooks, disableAllHooks: true }));
  }
  const { outcome, model } = await work(test, [bash('touch refused'), DONE], {
    scene,
  });
  expect(outcome).toMatchObject({ status: 'done' });
  expect(readdirSync(scene.work)).not.toContain('pwned');
  expect(model.requests).toHaveLength(2);
});
