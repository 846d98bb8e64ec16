import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inheritTerms } from '../../src/cli/inherit-terms.ts';
import { beyondSettings } from '../../src/cli/inherited-consent.ts';
import type { JobRecord } from '../../src/job/record.ts';
import type { Task } from '../../src/job/task.ts';
import type { Grant } from '../../src/notify/consent/grant.ts';
import { DEFAULT_SETTINGS, layOver } from '../../src/provider/settings.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { sampleRecord, sampleTask } from '../store/fixtures/records.ts';
import { agreed, contextOf } from './context.ts';

describe('what an earlier job had beyond the settings of today', () => {
  const full = { level: 'full', backend: 'b', notFull: null } as const;
  const cheap = { name: 'p:cheap', profile: 'cheap', permissionMode: null };
  const worker = { smallModel: null, permissionMode: null, addDirs: [] };
  const nothing = { network: 'none', passEnv: [], sandbox: full, model: cheap, ...worker } as const;
  const process = { ...nothing, sandbox: { ...full, level: 'process' } } as const;
  const network = { ...nothing, network: 'full' } as const;
  const passEnv = { ...nothing, passEnv: ['TOKEN', 'CI'] };
  const folder = { ...nothing, addDirs: ['/usr/share'] };
  const strong = { ...nothing, model: { name: 'p:strong', profile: 'cheap' } };
  const auto = { ...nothing, permissionMode: 'auto' } as const;
  const elsewhere = { ...nothing, model: { name: 'p:cheap', profile: 'other' } };

  it.each([
    ['nothing', nothing, {}, []],
    ['a lower sandbox', process, {}, ['sandbox level "process"']],
    ['one the user allows', process, { sandbox: { allowUnsandboxed: true } }, []],
    ['one in a container', process, { sandbox: { boundary: 'container' } }, []],
    ['the network', network, {}, ['network full']],
    ['one the user allows', network, { sandbox: { network: 'full' } }, []],
    ['variables', passEnv, { env: { pass: ['CI'] } }, ['variable TOKEN']],
    ['a folder', folder, {}, ['folder /usr/share']],
    ['one below what the user allows', folder, { addDirs: ['/usr'] }, []],
    ['another model', strong, {}, ['model p:strong']],
    ['another profile', elsewhere, {}, ['model p:cheap']],
    ['a small model of its own', { ...nothing, smallModel: 'tiny' }, {}, ['small model tiny']],
    ['a mode that allows more', auto, { permissionMode: 'plan' }, ['permission mode auto']],
    ['one that allows less', auto, { permissionMode: 'bypassPermissions' }, []],
    ['one where none is set', auto, {}, []],
    ['none where one is set', nothing, { permissionMode: 'auto' }, ['no permission mode']],
    ['one above the ceiling', auto, { permissionCeiling: 'default' }, ['permission mode auto']],
  ] as const)('%s', (_, inherited, layer, expected) => {
    expect(beyondSettings(inherited, layOver(DEFAULT_SETTINGS, layer), cheap)).toEqual(expected);
  });

  it('a mode that allows more than the default profile’s', () => {
    const own = { ...cheap, permissionMode: 'acceptEdits' } as const;
    const settings = { ...DEFAULT_SETTINGS, permissionMode: 'bypassPermissions' } as const;
    expect(beyondSettings(auto, settings, own)).toEqual(['permission mode auto']);
    expect(beyondSettings({ ...auto, permissionMode: 'acceptEdits' }, settings, own)).toEqual([]);
  });

  it('a model, where there is no default', () => {
    expect(beyondSettings(nothing, DEFAULT_SETTINGS, null)).toEqual(['model p:cheap']);
  });
});

describe('a job that goes on from an earlier one', () => {
  const task = sampleTask({ ask: { tools: false, schema: null } });
  const record = sampleRecord({ model: 'ollama:cheap', profile: 'cheap', sandbox: 'full', network: 'none' });

  function inherit(
    change: { record?: Partial<JobRecord>; task?: Partial<Task> },
    call: { consent?: Grant; env?: Record<string, string> } = {},
    flags = {},
  ) {
    const userDir = makeFolder();
    const profile = (model: string) => ({ provider: 'ollama', model, prices: { input: 0, output: 0 } });
    const profiles = { cheap: profile('cheap'), strong: profile('strong') };
    const limits = { timeout: 1800 };
    const config = { defaultProfile: 'cheap', profiles, limits, budget: { perJob: 5 } };
    writeFileSync(join(userDir, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
    const before = { ...record, ...change.record };
    const wanted = { verb: 'followup', limits: before.limits, projectRoot: null, flags } as const;
    const context = contextOf({ cwd: userDir, userDir, ...call });
    return inheritTerms(context, before, { ...task, ...change.task }, wanted);
  }

  const strong = { record: { model: 'ollama:strong', profile: 'strong' } };
  const byPerson = { env: {} };

  it.each([
    ['the network', { record: { network: 'full' } }, 'network full'],
    ['a variable', { task: { passEnv: ['TOKEN'] } }, 'variable TOKEN'],
    ['the model', strong, 'model ollama:strong'],
    ['the small model', { task: { smallModel: 'tiny' } }, 'small model tiny'],
  ] as const)(
    'takes %s over for a person, or with their yes, not for a model by itself',
    async (_, change, words) => {
      const refused = await refusal(() => inherit(change));
      const remedy = expect.stringMatching(/terminal: cc-delegate followup [0-9a-z]{6} "…"/);
      expect(refused).toMatchObject({ exit: 5, code: 'needs_the_user', value: words, remedy });
      const before = { ...record, ...('record' in change ? change.record : {}) };
      for (const call of [byPerson, { consent: agreed([]) }]) {
        const terms = await inherit(change, call);
        expect(terms).toMatchObject({ network: before.network, model: { name: before.model } });
        const smallModel =
          ('task' in change && 'smallModel' in change.task && change.task.smallModel) || null;
        expect(terms).toMatchObject({
          kept: { smallModel },
          model: { small: smallModel && { endpoint: { model: 'tiny' } } },
        });
      }
    },
  );

  it('has the model that the call names, whatever the earlier one was', async () => {
    expect((await inherit(strong, {}, { profile: 'cheap' })).model.name).toBe('ollama:cheap');
  });

  it('keeps no small model of the earlier one with a model that the call names', async () => {
    const change = { task: { smallModel: 'tiny' } };
    const terms = await inherit(change, {}, { profile: 'cheap' });
    expect(terms).toMatchObject({ kept: { smallModel: null }, model: { small: null } });
  });

  it('has no higher limits than the settings, where a model calls without the person’s yes', async () => {
    const limits = { ...record.limits, budgetUsd: 9, timeout: 7200, maxSteps: 9 };
    const change = { record: { limits } };
    const bound = await inherit(change);
    expect(bound.limits).toEqual({ ...limits, budgetUsd: 5, timeout: 1800 });
    const notices = bound.notices.join('\n');
    expect(notices).toContain('budget is $5.00, as the user has set it, not $9.00 as before');
    expect(notices).toContain('timeout is 1800, as the user has set it, not 7200 as before');
    for (const call of [byPerson, { consent: agreed([]) }])
      expect((await inherit(change, call)).limits).toEqual(limits);
  });
});
