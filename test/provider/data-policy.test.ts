import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/config/run.ts';
import { readConfig } from '../../src/provider/config-file.ts';
import { endpointOf } from '../../src/provider/endpoint.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from './user-error-of.ts';

function settings() {
  const env = { CC_DELEGATE_HOME: makeFolder(), HOME: '/home/someone' };
  const config = (...args: string[]) =>
    run({ args, cwd: '/', env, stdin: process.stdin, stderr: () => undefined, json: false });
  const body = () => {
    const profile = readConfig(env).profiles?.p;
    return endpointOf({ provider: 'openrouter', model: 'v/m', profile: 'p' }, profile).body;
  };
  return { env, config, body, yaml: () => readFileSync(join(env.CC_DELEGATE_HOME, 'config.yaml'), 'utf8') };
}

const SET = ['profile', 'set', 'p', '--provider', 'openrouter', '--model', 'v/m'];

describe('what OpenRouter may do with the requests', () => {
  it('is said with every request of the profile, in its own words', async () => {
    const { config, body, yaml } = settings();
    expect((await config(...SET, '--data-collection', 'deny', '--zdr')).text).toContain(
      'data: deny, zero retention',
    );
    expect(body()).toEqual({ provider: { data_collection: 'deny', zdr: true } });
    await config('profile', 'set', 'p', '--max-output', '9');
    await config('profile', 'set', 'p', '--data-collection', 'allow');
    expect(body()).toEqual({ provider: { data_collection: 'allow', zdr: true } });
    await config('set', 'profiles.p.dataPolicy.zdr', 'false');
    expect(body()).toEqual({ provider: { data_collection: 'allow', zdr: false } });
    await config('unset', 'profiles.p.dataPolicy');
    expect(body()).toBeUndefined();
    expect(yaml()).not.toMatch(/dataPolicy/);
  });

  it('goes with the provider it was for', async () => {
    const { config, yaml } = settings();
    await config(...SET, '--zdr');
    await config('profile', 'set', 'p', '--provider', 'deepseek', '--model', 'deepseek-chat');
    expect(yaml()).not.toMatch(/dataPolicy/);
  });

  it.each<[string, string[], string]>([
    ['another provider', ['--provider', 'deepseek', '--model', 'm', '--zdr'], 'only openrouter'],
    [
      'a protocol it is not documented for',
      ['--provider', 'openrouter', '--model', 'v/m', '--api', 'anthropic', '--data-collection', 'deny'],
      'openai-chat only',
    ],
    [
      'a word that is none',
      ['--provider', 'openrouter', '--model', 'v/m', '--data-collection', 'never'],
      'allow, deny',
    ],
  ])('is refused for %s', async (_case, options, said) => {
    const error = await refusal(() => settings().config('profile', 'set', 'p', ...options));
    expect(error.exit).toBe(2);
    expect(error.remedy).toContain(said);
  });
});
