import { build, type Metafile } from 'esbuild';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { MODEL_APIS, type ToolDefinition } from '../../../src/engine/engine.ts';
import { createNativeEngine, nativeEngine } from '../../../src/engine/native/engine.ts';
import type { Turn } from '../../../src/engine/scripted/turn.ts';
import { KEY_HEADERS } from '../../../src/provider/key-header.ts';
import { begin, eventsOf, fastClock, finish, modelRef, QUIET, scripted } from '../harness.ts';

const DONE: Turn = { text: 'done' };

/** A tool that ends only when the run is aborted, and says so. */
function endless(log: string[]): ToolDefinition {
  return {
    name: 'bash',
    description: 'waits',
    input: z.object({}),
    readOnly: false,
    run: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          log.push('killed');
          reject(signal.reason);
        });
      }),
  };
}

describe('abort', () => {
  it('stops a tool under way, and waits for its end', async () => {
    const log: string[] = [];
    const model = await scripted([{ calls: [{ name: 'bash', args: {} }] }]);
    const { run } = begin({
      engine: nativeEngine,
      models: [modelRef(model, 'openai-chat')],
      tools: [endless(log)],
      onEvent: (event, started) => void (event.t === 'tool_start' && setImmediate(() => started.abort())),
    });
    expect(await run.done).toEqual({ status: 'aborted' });
    expect(log).toEqual(['killed']);
  });

  it('ends a wait for the endpoint at once', async () => {
    const model = await scripted([{ status: 429, headers: { 'retry-after': '50' } }]);
    const began = performance.now();
    const { run } = begin({
      engine: nativeEngine,
      models: [modelRef(model, 'openai-chat')],
      onEvent: (event, started) => void (event.t === 'retry' && setImmediate(() => started.abort())),
    });
    expect(await run.done).toEqual({ status: 'aborted' });
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('tools', () => {
  it('run side by side when they only look, one after another when they do not', async () => {
    const log: string[] = [];
    const tool = (name: string, readOnly: boolean): ToolDefinition => ({
      name,
      description: name,
      input: z.object({}),
      readOnly,
      run: async () => {
        log.push(`${name} starts`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        return { ok: true, text: name, summary: name };
      },
    });
    const calls = ['look', 'see', 'write', 'edit'].map((name) => ({ name, args: {} }));
    const model = await scripted([{ calls }, DONE]);
    const tools = [tool('look', true), tool('see', true), tool('write', false), tool('edit', false)];
    await finish({ engine: nativeEngine, models: [modelRef(model, 'openai-chat')], tools });
    expect(log.join(', ')).toBe(
      'look starts, see starts, look ends, see ends, write starts, write ends, edit starts, edit ends',
    );
  });

  it('fail the run when one of them has a bug', async () => {
    const broken: ToolDefinition = { ...endless([]), run: () => Promise.reject(new TypeError('oops')) };
    const model = await scripted([{ calls: [{ name: 'bash', args: {} }] }]);
    const { outcome } = await finish({
      engine: nativeEngine,
      models: [modelRef(model, 'openai-chat')],
      tools: [broken],
    });
    expect(outcome).toEqual({ status: 'failed', kind: 'engine', message: 'TypeError: oops' });
  });
});

describe('requests', () => {
  it('mark two places for the prompt cache of Anthropic', async () => {
    const model = await scripted([{ calls: [{ name: 'read', args: { path: 'a' } }] }, DONE]);
    await finish({ engine: nativeEngine, models: [modelRef(model, 'anthropic')] });
    for (const { text } of model.requests) expect(text.match(/"cache_control"/g)).toHaveLength(2);
  });

  it.each(MODEL_APIS)('carry no key and take no setting from the environment (%s)', async (api) => {
    const model = await scripted([DONE]);
    for (const name of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GENERATIVE_AI']) {
      vi.stubEnv(`${name}_API_KEY`, 'sk-of-the-user');
      vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:1');
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    await finish({ engine: nativeEngine, models: [modelRef(model, api, { apiKey: null })] });
    expect(model.requests).toHaveLength(1);
    for (const name of KEY_HEADERS) expect(model.requests[0]?.headers).not.toHaveProperty(name);
    expect(JSON.stringify(model.requests[0]?.headers)).not.toContain('sk-of-the-user');
  });

  it('send the headers of the profile', async () => {
    const model = await scripted([DONE]);
    const headers = { 'x-title': 'cc-delegate' };
    await finish({ engine: nativeEngine, models: [modelRef(model, 'openai-chat', { headers })] });
    expect(model.requests[0]?.headers).toMatchObject({
      'x-title': 'cc-delegate',
      authorization: 'Bearer sk-test-key',
      'x-cc-delegate-role': 'worker',
    });
  });

  it('that fail never show the key', async () => {
    const model = await scripted([{ status: 401, body: { error: { message: 'no such key: sk-test-key' } } }]);
    const { outcome } = await finish({ engine: nativeEngine, models: [modelRef(model, 'openai-chat')] });
    expect(JSON.stringify(outcome)).toContain('no such key');
    expect(JSON.stringify(outcome)).not.toContain('sk-test-key');
  });
});

describe('complete', () => {
  const spec = { role: 'grader', system: 's', prompt: 'p', maxOutput: 100 } as const;

  it.each([
    { script: [{ text: 'fine' }], wanted: { status: 'done', text: 'fine' } },
    { script: [{ status: 500 }, { text: 'fine' }], wanted: { status: 'done', text: 'fine' } },
    { script: [{ status: 401 }], wanted: { status: 'failed', kind: 'auth' } },
    { script: [{ status: 413 }], wanted: { status: 'failed', kind: 'overflow' } },
    { script: [{ text: '' }], wanted: { status: 'failed', kind: 'empty' } },
    { script: [{ text: 'x', finish: 'content_filter' }], wanted: { status: 'failed', kind: 'engine' } },
  ])('makes $wanted of $script', async ({ script, wanted }) => {
    const model = await scripted({ turns: { grader: script } });
    const models = [modelRef(model, 'openai-chat')] as const;
    const events: unknown[] = [];
    const completion = await createNativeEngine(fastClock()).complete(
      { ...spec, models, signal: new AbortController().signal },
      { ...QUIET, emit: (event) => void events.push(event) },
    );
    expect(completion).toMatchObject(wanted);
    expect(JSON.stringify(events)).not.toContain('"delta"');
  });

  it('ends when its signal is aborted', async () => {
    const controller = new AbortController();
    const model = await scripted(() => {
      setImmediate(() => controller.abort());
      return { ending: 'hang' };
    });
    const models = [modelRef(model, 'openai-chat')] as const;
    const completion = await nativeEngine.complete({ ...spec, models, signal: controller.signal }, QUIET);
    expect(completion).toMatchObject({ status: 'failed', message: 'aborted' });
  });
});

describe('the model library', () => {
  it.each(['src/engine/native/engine.ts', 'src/engine/scripted/server.ts', 'src/engine/engine.ts'])(
    'is not loaded by %s before the first request',
    async (entry) => {
      const { metafile } = await build({
        entryPoints: [entry],
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
        metafile: true,
        write: false,
      });
      const atStart = loadedWith(entry, metafile);
      expect(atStart).toContain(entry);
      expect(atStart.filter((path) => path === 'ai' || /^(?:@ai-sdk\/|aws4fetch)/.test(path))).toEqual([]);
    },
  );
});

/** A module and all that is loaded with it, packages among them. */
function loadedWith(entry: string, { inputs }: Metafile): string[] {
  const found = new Set([entry]);
  for (const path of found) {
    const imports = inputs[path]?.imports ?? [];
    for (const { kind, path: next } of imports) if (kind === 'import-statement') found.add(next);
  }
  return [...found];
}

it('makes 103 steps without a warning about listeners', { timeout: 120_000 }, async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.name);
  process.on('warning', listen);
  const model = await scripted(({ index }) =>
    index < 102 ? { calls: [{ name: 'read', args: { path: `file${index}` } }] } : DONE,
  );
  const { outcome, events } = await finish({
    engine: nativeEngine,
    models: [modelRef(model, 'openai-chat')],
  });
  process.off('warning', listen);
  expect(outcome.status).toBe('done');
  expect(eventsOf(events, 'step_end')).toHaveLength(103);
  expect(warnings).toEqual([]);
});
