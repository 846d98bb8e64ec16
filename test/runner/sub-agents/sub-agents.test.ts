import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { EngineEvent, ModelRef, ToolDefinition, ToolResult } from '../../../src/engine/engine.ts';
import { createNativeEngine } from '../../../src/engine/native/engine.ts';
import type { ScriptedModel, ScriptedRequest } from '../../../src/engine/scripted/server.ts';
import type { Turn } from '../../../src/engine/scripted/turn.ts';
import { capReached, NO_CAPS, overBudget } from '../../../src/job/budget.ts';
import { addSpend, NO_SPEND } from '../../../src/job/cost.ts';
import { DEFAULT_LIMITS } from '../../../src/job/limits.ts';
import type { SubRole } from '../../../src/runner/sub-agents/roles.ts';
import { SubAgents, type SubAgentsOptions } from '../../../src/runner/sub-agents/sub-agents.ts';
import { fileTools } from '../../../src/runner/tools/file-tools.ts';
import { taskTool } from '../../../src/runner/tools/task.ts';
import { workspaceFiles } from '../../../src/workspace/files.ts';
import { placeInside } from '../../../src/workspace/files-path.ts';
import { begin, eventsOf, fastClock, modelRef, scripted } from '../../engine/harness.ts';
import { makeFolder, writeFiles } from '../../helpers/repository.ts';

const SOURCE = 'export const a = 1;\n';

interface Scene {
  readonly model: ScriptedModel;
  readonly folder: string;
  readonly events: EngineEvent[];
  readonly ran: string[];
  options(more?: Partial<SubAgentsOptions>): SubAgentsOptions;
  run(role: SubRole, more?: Partial<SubAgentsOptions>): Promise<ToolResult>;
}

type Script = (request: ScriptedRequest) => Turn | Promise<Turn>;

async function scene(script: Script): Promise<Scene> {
  const model = await scripted(script);
  const folder = makeFolder();
  writeFiles(folder, { 'src/a.ts': SOURCE, 'test/a.test.ts': 'old\n', 'docs/x.md': 'x\n' });
  symlinkSync('../src', join(folder, 'test/link'));
  symlinkSync('../src/a.ts', join(folder, 'test/b.test.ts'));
  const events: EngineEvent[] = [];
  const ran: string[] = [];
  const bash: ToolDefinition = {
    name: 'bash',
    description: 'the shell of the workspace',
    input: z.strictObject({ command: z.string() }),
    readOnly: false,
    run: async (args) => {
      ran.push(JSON.stringify(args));
      return { ok: true, text: 'ran', summary: 'ran' };
    },
  };
  const options = (more: Partial<SubAgentsOptions> = {}): SubAgentsOptions => ({
    engine: createNativeEngine(fastClock()),
    modelsOf: () => [modelRef(model, 'openai-chat')],
    tools: [bash, ...fileTools(workspaceFiles(folder), () => undefined)],
    mayCall: () => null,
    emit: (event) => void events.push(event),
    transcript: (name) => join(folder, 'agents', `${name.replace('#', '-')}.ndjson`),
    redactor: { text: (text) => text, known: (text) => text },
    idleMs: 10_000,
    test: 'npm test',
    shell: null,
    placeOf: async (path) => (await placeInside(realpathSync(folder), path)).relative,
    ...more,
  });
  const run = (role: SubRole, more?: Partial<SubAgentsOptions>) =>
    new SubAgents(options(more)).run(role, 'do your part', new AbortController().signal);
  return { model, folder, events, ran, options, run };
}

const toolsOf = ({ body }: ScriptedRequest): string[] =>
  ((body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name).sort();

/** Makes one call and then reports. */
const once =
  (name: string, args: unknown): Script =>
  ({ index }) =>
    index === 0 ? { calls: [{ name, args }] } : { text: 'reported' };

const WRITES = [
  ['write', { path: 'src/a.ts', content: 'x' }],
  ['write', { path: 'test/link/a.ts', content: 'x' }],
  ['write', { path: 'test/b.test.ts', content: 'x' }],
  ['write', { path: 'test/../src/a.ts', content: 'x' }],
  ['edit', { path: 'src/a.ts', oldText: '1', newText: '2' }],
  ['edit', { path: 'test/b.test.ts', oldText: '1', newText: '2' }],
  ['bash', { command: 'echo x > src/a.ts' }],
] as const;

describe('a reviewer', () => {
  it('has nothing that could write', async () => {
    const { run, model } = await scene(() => ({ text: 'fine' }));
    expect(await run('reviewer')).toMatchObject({ ok: true, text: 'fine' });
    expect(model.requests.map(toolsOf)).toEqual([['glob', 'grep', 'read']]);
    expect(model.requests[0]?.role).toBe('reviewer');
  });

  it.each([...WRITES, ['write', { path: 'test/a.test.ts', content: 'x' }] as const])(
    'cannot write by %s %j',
    async (name, args) => {
      const { run, model, folder, ran } = await scene(once(name, args));
      await run('reviewer');
      expect(model.requests[1]?.text).toContain('There is no tool named');
      expect(readFileSync(join(folder, 'src/a.ts'), 'utf8')).toBe(SOURCE);
      expect(readFileSync(join(folder, 'test/a.test.ts'), 'utf8')).toBe('old\n');
      expect(ran).toEqual([]);
    },
  );
});

describe('a tester', () => {
  it('writes test files, new and old', async () => {
    const { run, folder } = await scene(({ index }) =>
      index === 0
        ? {
            calls: [
              { name: 'write', args: { path: 'test/new.test.ts', content: 'new\n' } },
              { name: 'edit', args: { path: 'test/a.test.ts', oldText: 'old', newText: 'more' } },
            ],
          }
        : { text: 'two tests' },
    );
    expect(await run('tester')).toMatchObject({ ok: true, text: 'two tests' });
    expect(readFileSync(join(folder, 'test/new.test.ts'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(folder, 'test/a.test.ts'), 'utf8')).toBe('more\n');
  });

  it.each(WRITES)('cannot touch a source file by %s %j', async (name, args) => {
    const { run, model, folder, ran } = await scene(once(name, args));
    await run('tester');
    expect(model.requests[1]?.text).toMatch(/is no test file|There is no tool named/);
    expect(readFileSync(join(folder, 'src/a.ts'), 'utf8')).toBe(SOURCE);
    expect(ran).toEqual([]);
  });

  it('has a shell only in a copy, which hears of what it writes and is thrown away', async () => {
    const heard: string[] = [];
    const { run, model, ran, options } = await scene(({ index }) =>
      index === 0
        ? {
            calls: [
              { name: 'write', args: { path: './test/new.test.ts', content: 'new\n' } },
              { name: 'bash', args: { command: 'npm test' } },
            ],
          }
        : { text: 'done' },
    );
    const [own] = options().tools;
    if (own === undefined) throw new Error('no shell');
    await run('tester', {
      shell: (name) => ({
        bash: { ...own, run: async () => ({ ok: true, text: `in the copy of ${name}`, summary: '' }) },
        mirror: async (path) => void heard.push(path),
        close: async () => void heard.push('closed'),
      }),
    });
    expect(heard).toEqual(['test/new.test.ts', 'closed']);
    expect(model.requests[1]?.text).toContain('in the copy of tester#1');
    expect(ran).toEqual([]);
  });
});

describe('an implementer', () => {
  it('has the worker’s tools, and none to make sub-agents with', async () => {
    const { run, model, folder } = await scene(once('write', { path: 'src/a.ts', content: 'x' }));
    expect(await run('implementer')).toMatchObject({ ok: true, text: 'reported' });
    expect(toolsOf(model.requests[0] as ScriptedRequest)).toEqual([
      'bash',
      'edit',
      'glob',
      'grep',
      'read',
      'write',
    ]);
    expect(readFileSync(join(folder, 'src/a.ts'), 'utf8')).toBe('x');
  });
});

describe('sub-agents', () => {
  it('have their own context, model, transcript and name', async () => {
    const { model, folder, events, options } = await scene(({ role }) => ({ text: `I am the ${role}` }));
    const modelsOf = (role: SubRole): readonly [ModelRef] => [
      modelRef(model, 'openai-chat', role === 'reviewer' ? { model: 'strong' } : {}),
    ];
    const agents = new SubAgents(options({ modelsOf }));
    const { signal } = new AbortController();
    await agents.run('tester', 'test it', signal);
    await agents.run('reviewer', 'look at it', signal);
    expect(model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'strong']);
    expect(model.requests[1]?.text).not.toContain('test it');
    expect(existsSync(join(folder, 'agents/tester-1.ndjson'))).toBe(true);
    expect(existsSync(join(folder, 'agents/reviewer-2.ndjson'))).toBe(true);
    expect([...new Set(events.map(({ agent }) => agent))]).toEqual(['tester#1', 'reviewer#2']);
  });

  it('work three at a time, and one at a time where they edit', async () => {
    let inside = 0;
    const most: Record<string, number> = {};
    const { options } = await scene(async ({ role }) => {
      inside += 1;
      most[role] = Math.max(most[role] ?? 0, inside);
      await new Promise((resolve) => setTimeout(resolve, 100));
      inside -= 1;
      return { text: 'done' };
    });
    const agents = new SubAgents(options());
    const { signal } = new AbortController();
    const all = (role: SubRole) => Promise.all([1, 2, 3, 4, 5].map(() => agents.run(role, 'x', signal)));
    await all('reviewer');
    await all('implementer');
    expect(most).toEqual({ reviewer: 3, implementer: 1 });
  });

  it('spend from the account of the job, which stops them and the worker (bug 19)', async () => {
    let spend = NO_SPEND;
    const { model, options } = await scene(({ role }) =>
      role === 'worker'
        ? { calls: [{ name: 'task', args: { role: 'reviewer', prompt: 'look' } }] }
        : { calls: [{ name: 'glob', args: { pattern: '*' } }] },
    );
    const priced = modelRef(model, 'openai-chat', { prices: { input: 10_000, output: 0 } });
    const mayCall = () => purse(3, spend);
    const add = (event: EngineEvent): void => {
      if (event.t === 'spend') spend = addSpend(spend, event.spend);
    };
    const agents = new SubAgents(options({ modelsOf: () => [priced], mayCall, emit: add }));
    const { run } = begin({
      engine: createNativeEngine(fastClock()),
      models: [priced],
      tools: [taskTool((role, prompt, signal) => agents.run(role, prompt, signal))],
      mayCall,
      onEvent: add,
    });
    expect(await run.done).toMatchObject({ status: 'stopped', stop: { reason: 'over_budget' } });
    // A dollar a request: one of the worker's, two of the reviewer's.
    expect(model.requests.map(({ role }) => role)).toEqual(['worker', 'reviewer', 'reviewer']);
  });

  it('report their failure to the worker, which goes on', async () => {
    const { model, options } = await scene(({ role, index }) => {
      if (role === 'tester') return { status: 401, body: { error: { message: 'bad key' } } };
      return index === 0
        ? { calls: [{ name: 'task', args: { role: 'tester', prompt: 'test' } }] }
        : { text: 'without it, then' };
    });
    const agents = new SubAgents(options());
    const { run, events } = begin({
      engine: createNativeEngine(fastClock()),
      models: [modelRef(model, 'openai-chat')],
      tools: [taskTool((role, prompt, signal) => agents.run(role, prompt, signal))],
    });
    expect(await run.done).toEqual({ status: 'done', finalText: 'without it, then' });
    expect(eventsOf(events, 'tool_end')[0]).toMatchObject({ tool: 'task', ok: false });
    expect(model.requests.at(-1)?.text).toContain('bad key');
  });

  it('end with the worker', async () => {
    const stop = new AbortController();
    const { options } = await scene(() => {
      setImmediate(() => stop.abort());
      return { text: 'late', ending: 'hang' };
    });
    await expect(new SubAgents(options()).run('reviewer', 'x', stop.signal)).rejects.toThrow();
  });
});

/** A budget and what was spent of it, as a job's account would judge it. */
function purse(budgetUsd: number, job: typeof NO_SPEND) {
  const standing = { job, today: 0, repository: 0 };
  const limits = { ...DEFAULT_LIMITS, budgetUsd };
  const call = { input: 0, maxOutput: 0, prices: null, isSubscription: false };
  const hit = capReached({ limits, caps: NO_CAPS, passUpTo: 0, standing }, call);
  return hit === null ? null : overBudget(hit, null);
}
