import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inheritTerms, type ModelFlags } from '../../src/cli/inherit-terms.ts';
import { verb as list } from '../../src/cli/list.ts';
import { planTurn } from '../../src/cli/plan-turn.ts';
import { verb as result } from '../../src/cli/result.ts';
import { makeConversationId } from '../../src/job/ids.ts';
import { type JobRecord, NO_RESULT } from '../../src/job/record.ts';
import type { Task } from '../../src/job/task.ts';
import { openStore } from '../../src/store/open.ts';
import { runPaths } from '../../src/store/paths.ts';
import { writeTask } from '../../src/store/task-file.ts';
import { git } from '../helpers/repository.ts';
import { jobOf } from '../notify/jobs.ts';
import { refusal } from '../provider/user-error-of.ts';
import { NOW, sampleTask } from '../store/fixtures/records.ts';
import { NEW, PROFILE, person } from './claude-person.ts';

/** A turn of the claude engine that has ended. */
function ended(repo: string, userDir: string, change: Partial<JobRecord> = {}, task: Partial<Task> = {}) {
  const record = jobOf(repo, null, userDir, {
    kind: 'ask',
    engine: 'claude',
    model: 'anthropic-compatible:scripted',
    profile: 'p',
    base: git(repo, 'rev-parse', 'HEAD'),
    subdirectory: '',
    cwd: repo,
    state: 'succeeded',
    runner: null,
    result: { ...NO_RESULT, summaryLine: 'answered, $0.01' },
    ...change,
  });
  const store = openStore(repo, { create: false });
  const paths = runPaths(store, record.id);
  mkdirSync(dirname(paths.transcript), { recursive: true });
  writeFileSync(paths.transcript, '{"engine":"claude","version":1}\n');
  const whole = sampleTask({ ask: { tools: true, schema: null }, ...task });
  writeTask(paths.task, whole);
  return { record, store, paths, task: whole };
}

const BOUND: Partial<Task> = {
  allowTools: ['Read', 'Bash(git log *)'],
  denyTools: ['Edit'],
  permissionMode: 'acceptEdits',
  clientPrompt: 'full',
  smallModel: 'tiny',
  appendSystemPrompt: 'Be brief.',
  addDirs: ['/usr/share'],
};

describe('a turn that goes on from a job of the claude engine', () => {
  function earlier(change: Partial<JobRecord> = {}, profile: object = {}, more: Partial<Task> = {}) {
    const who = person(NEW, profile);
    const turn = ended(who.repo, who.userDir, change, { ...BOUND, ...more });
    const { record, store, task } = turn;
    const conversation = {
      ...{ store, id: record.conversationId, turns: [record] },
      ...{ first: record, newest: record, named: record },
    };
    const next = async (
      how: 'followup' | 'resume',
      tools: { allowTools?: string[]; denyTools?: string[] } = {},
    ) =>
      (
        await planTurn(who.context(), conversation, {
          ...{ how, prompt: how === 'resume' ? null : 'more', title: 't', limits: record.limits },
          ...{ allowTools: [], denyTools: [], ...tools },
        })
      ).job;
    const retried = (flags: ModelFlags = {}) => {
      const wanted = { verb: 'retry', limits: record.limits, projectRoot: who.repo, flags } as const;
      return inheritTerms(who.context(), record, task, wanted);
    };
    return { ...who, record, next, retried };
  }

  it.each(['followup', 'resume'] as const)('keeps every restriction: %s', async (how) => {
    const limits = { ...earlier().record.limits, maxSteps: 7 };
    const job = await earlier({ limits }).next(how);
    expect(job).toMatchObject({
      task: { ...BOUND, goesOn: { how } },
      limits: { maxSteps: 7 },
      model: { engine: 'claude', small: { endpoint: { api: 'anthropic', model: 'tiny' } } },
    });
  });

  it('keeps the engine, whatever the profile says now', async () => {
    for (const found of [await earlier({}, { engine: 'native' }).next('followup'), await earlier().retried()])
      expect(found.model).toMatchObject({ engine: 'claude', primary: { endpoint: { api: 'anthropic' } } });
    const native = earlier({ engine: 'native' }, { engine: 'claude' });
    expect((await native.next('followup')).model.engine).toBe('native');
    expect((await native.retried()).model.engine).toBe('native');
    expect(await earlier().retried()).toMatchObject({
      kept: { permissionMode: 'acceptEdits', smallModel: 'tiny', addDirs: ['/usr/share'] },
    });
  });

  it('may have less, never more', async () => {
    const { next } = earlier();
    const job = await next('followup', { allowTools: ['Read'], denyTools: ['Bash'] });
    expect(job.task).toMatchObject({ allowTools: ['Read'], denyTools: ['Edit', 'Bash'] });
    const wider = { allowTools: ['Read', 'Bash'] };
    expect(await refusal(() => next('followup', wider))).toMatchObject({
      exit: 5,
      code: 'wider_rules',
      value: '--allow-tool Bash (before: Read Bash(git log *))',
    });
  });

  it.each([
    ['a model that is not allowed any more', { allowedModels: ['openrouter:x'] }, 'model_not_allowed'],
    ['nor a small one', { allowedModels: ['anthropic-compatible:scripted'] }, 'model_not_allowed'],
  ])('has not %s', async (_, change, code) => {
    const { next, retried, configure } = earlier();
    await next('followup');
    configure(change);
    for (const go of [() => next('followup'), () => next('resume'), () => retried()])
      expect(await refusal(go)).toMatchObject({ exit: 5, code });
  });

  it.each([
    ['acceptEdits', 'plan', 'plan', true],
    // It had its rules and no more: the mode's own edits would be more.
    [null, 'acceptEdits', 'dontAsk', true],
    ['bypassPermissions', 'acceptEdits', 'dontAsk', true],
    ['bypassPermissions', 'auto', 'auto', true],
    ['plan', 'acceptEdits', 'plan', false],
    ['acceptEdits', 'acceptEdits', 'acceptEdits', false],
    ['acceptEdits', null, 'acceptEdits', false],
  ] as const)('of mode %s has under the ceiling %s: %s, and says so', async (before, ceiling, mode, said) => {
    const { next, retried, configure } = earlier({}, {}, { permissionMode: before });
    configure(ceiling === null ? {} : { permissionCeiling: ceiling });
    const terms = await retried();
    expect(terms.kept.permissionMode).toBe(mode);
    expect(terms.notices.join('\n').includes(`permission mode ${mode}, as your ceiling is now`)).toBe(said);
    for (const how of ['followup', 'resume'] as const)
      expect((await next(how)).task.permissionMode).toBe(mode);
  });

  it.each([
    ['acceptEdits', 'plan', null, 'plan'],
    [null, 'plan', null, 'plan'],
    ['plan', 'auto', null, 'plan'],
    ['acceptEdits', undefined, null, 'acceptEdits'],
    [null, 'bypassPermissions', 'auto', 'auto'],
  ] as const)('of mode %s on a profile of %s, ceiling %s: %s', async (before, own, ceiling, mode) => {
    const { retried, configure } = earlier({}, {}, { permissionMode: before });
    const profiles = { p: PROFILE, careful: { ...PROFILE, ...(own && { permissionMode: own }) } };
    configure({ profiles, ...(ceiling && { permissionCeiling: ceiling }) });
    expect((await retried({ profile: 'careful' })).kept.permissionMode).toBe(mode);
    // What is not named says nothing.
    expect((await retried()).kept.permissionMode).toBe(before ?? ceiling);
  });

  it('has no engine of its own to name: where its model cannot serve it, it is to be begun anew', async () => {
    expect(await refusal(() => earlier().retried({ model: 'groq:s' }))).toMatchObject({
      exit: 6,
      code: 'no_anthropic_endpoint',
      remedy: expect.stringMatching(/^start it anew with --engine native, or /),
    });
  });

  it('is refused where its client has gone', async () => {
    const { next, env, retried } = earlier();
    writeFileSync(join(env.PATH.split(delimiter)[0] ?? '', 'claude'), '#!/bin/sh\necho 1.0.0\n');
    for (const go of [() => next('followup'), () => next('resume'), () => retried()])
      expect(await refusal(go)).toMatchObject({ exit: 6, code: 'client_old' });
  });
});

describe('an ask of the claude engine', () => {
  it('is in the list as others are, its turns under one conversation', async () => {
    const { repo, userDir, context } = person(NEW);
    const { record } = ended(repo, userDir, { title: 'What is new?' });
    const { conversationId } = record;
    const second = ended(repo, userDir, { conversationId, turn: 2, parent: record.id }).record;
    const other = ended(repo, userDir, {
      engine: 'native',
      conversationId: makeConversationId(NOW, 7),
    }).record;
    const { json, text } = await list.run(context());
    const { conversations } = json as { conversations: { conversationId: string; jobs: { id: string }[] }[] };
    const found = new Map(
      conversations.map((each) => [each.conversationId, each.jobs.map(({ id }) => id).sort()]),
    );
    expect(found.get(conversationId)).toEqual([record.id, second.id].sort());
    expect(found.get(other.conversationId)).toEqual([other.id]);
    for (const { id } of [record, other]) expect(text).toContain(`answered → result ${id.slice(-6)}`);
  });

  it('has a long answer cut, with the file that holds all of it', async () => {
    const { repo, userDir, context } = person(NEW);
    const { record, paths } = ended(repo, userDir);
    const long = 'z'.repeat(60_001);
    writeFileSync(paths.answer, long);
    const cut = await result.run(context(record.id));
    expect(cut.json).toMatchObject({
      engine: 'claude',
      answer: `${long.slice(0, 60_000)}\n[cut; the whole is in ${paths.answer}]`,
      answerPath: paths.answer,
    });
    expect((await result.run(context(record.id, '--full'))).text).toBe(long);
    writeFileSync(paths.answer, long.slice(1));
    expect((await result.run(context(record.id))).text).toBe(long.slice(1));
  });
});
