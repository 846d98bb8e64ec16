import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTask, writeTask } from '../../src/store/task-file.ts';
import { makeFolder } from '../helpers/repository.ts';
import { newId, sampleTask } from './fixtures/records.ts';

const path = () => join(makeFolder(), 'task.json');

it('a task is read as it was written, every restriction with it', () => {
  const task = sampleTask({
    allowTools: ['Read', 'Bash(git log *)'],
    denyTools: ['Bash(git push:*)'],
    permissionMode: 'acceptEdits',
    addDirs: ['/srv/docs'],
    clientPrompt: 'full',
    smallModel: 'openrouter:tiny/one',
    appendSystemPrompt: 'Say "no".',
    passCaps: true,
    goesOn: { job: newId(), how: 'followup', start: null },
    ask: { tools: true, schema: { type: 'object' } },
  });
  const file = path();
  writeTask(file, task);
  expect(readTask(file)).toEqual({ kind: 'ok', value: task });
});

it('a task of an earlier version has what came later at its default', () => {
  const file = path();
  const first = {
    prompt: 'p',
    done: null,
    appendSystemPrompt: null,
    forceStart: false,
    passEnv: [],
    notSeen: { changed: 0, untracked: 0 },
  };
  writeFileSync(file, JSON.stringify(first));
  expect(readTask(file)).toEqual({ kind: 'ok', value: sampleTask() });
  // The one before the claude engine.
  const later = { ...first, denyTools: ['Bash'], ask: { tools: true, schema: null } };
  writeFileSync(file, JSON.stringify(later));
  expect(readTask(file)).toEqual({
    kind: 'ok',
    value: sampleTask({ denyTools: ['Bash'], ask: { tools: true, schema: null } }),
  });
});

it.each([
  { permissionMode: 'everything' },
  { allowTools: 'Read' },
  { clientPrompt: 'huge' },
  { smallModel: 7 },
])('a task with %j is none', (change) => {
  const file = path();
  writeFileSync(file, JSON.stringify({ ...sampleTask(), ...change }));
  expect(readTask(file).kind).not.toBe('ok');
});
