import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolDefinition } from '../../../src/engine/engine.ts';
import { needsClient } from '../../client/client.ts';
import { begin, modelRef, scripted } from '../harness.ts';
import { makeScene } from './scene.ts';

const ASK: ToolDefinition = {
  name: 'ask_supervisor',
  description: 'asks',
  input: z.strictObject({ question: z.string() }),
  readOnly: false,
  run: async () => ({ ok: true, text: 'Take the blue one.', summary: '' }),
};

it.for<[string, string[]]>([
  ['plan', ['Bash']],
  ['default', []],
  ['acceptEdits', []],
  ['bypassPermissions', ['Bash(ls)']],
])(
  'the mode %s with the rules %j: the supervisor can be asked, a command is refused, and nobody judges beside',
  async ([permissionMode, allowTools], test) => {
    const model = await scripted([
      { calls: [{ name: 'Bash', args: { command: 'touch refused; mkfifo refused' } }] },
      { calls: [{ name: 'Bash', args: { command: 'ask_supervisor "Which one?"' } }] },
      { text: 'done' },
    ]);
    const scene = await makeScene(needsClient(test), { permissionMode, allowTools });
    const { run } = begin({ tools: [ASK], engine: scene.engine(), models: [modelRef(model, 'anthropic')] });
    expect(await run.done).toMatchObject({ status: 'done' });
    expect(existsSync(join(scene.work, 'refused'))).toBe(false);
    expect(model.requests[2]?.text).toContain('Take the blue one.');
    expect(model.requests).toHaveLength(3);
  },
);
