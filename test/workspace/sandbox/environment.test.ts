import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workerEnvironment } from '../../../src/workspace/sandbox/environment.ts';
import { findToolchains } from '../../../src/workspace/sandbox/toolchains.ts';
import { makeFolder } from '../../helpers/repository.ts';

function environmentOf(caller: Record<string, string>, passEnv: Record<string, string> = {}) {
  return workerEnvironment({
    caller,
    passEnv,
    toolchains: {},
    jobId: 't_abcdef_abcdef',
    workspace: '/state/job/work',
    home: '/state/job/home',
    temp: '/state/job/temp',
  });
}

describe("the worker's environment", () => {
  it.each([
    ['DATABASE_URL', 'postgres://u:hunter2@h/d'],
    ['SENTRY_DSN', 'https://abc@h/1'],
    ['GH_PAT', 'ghp_x'],
    ['MYSQL_PWD', 'p'],
    ['REDIS_URL', 'redis://:pw@h'],
    ['npm_config__auth', 'x'],
    ['HTTPS_PROXY', 'http://u:pw@p:1'],
    ['AWS_PROFILE', 'x'],
    ['AWS_ACCESS_KEY_ID', 'x'],
    ['SSH_AUTH_SOCK', '/tmp/agent'],
    ['OPENROUTER_API_KEY', 'x'],
    ['ANTHROPIC_API_KEY', 'x'],
    ['CLAUDECODE', '1'],
    ['NODE_OPTIONS', '--require /x'],
    ['BASH_ENV', '/x'],
    ['LD_PRELOAD', '/x'],
    ['GIT_DIR', '/other/.git'],
    ['GIT_INDEX_FILE', '/other/.git/index'],
    ['GIT_WORK_TREE', '/other'],
    ['LANG', 'http://u:pw@h'],
    ['LC_ALL', 'http://u:pw@h'],
  ])('has no %s', (name, value) => {
    expect(environmentOf({ [name]: value })).not.toHaveProperty(name);
  });

  it.each([
    ['LANG', 'C.UTF-8'],
    ['LC_CTYPE', 'C'],
    ['TZ', 'UTC'],
    ['JAVA_HOME', '/opt/java'],
    ['TOKENIZERS_PARALLELISM', 'false'],
    ['MAX_TOKENS', '100'],
  ])('keeps %s', (name, value) => {
    expect(environmentOf({ [name]: value })).toHaveProperty(name, value);
  });

  it('looks for programs in absolute folders only', () => {
    expect(environmentOf({ PATH: ':.:bin:/usr/bin::./x:/bin:' }).PATH).toBe('/usr/bin:/bin');
  });

  it('has what the user named, whatever its value', () => {
    const named = { DATABASE_URL: 'postgres://u:p@h/d', CI: 'false' };
    expect(environmentOf({}, named)).toMatchObject(named);
  });

  it('lets nobody move its home, its git or its mark', () => {
    const named = {
      HOME: '/root',
      CC_DELEGATE_JOB: 'x',
      GIT_CONFIG_GLOBAL: '/x',
      GIT_ALLOW_PROTOCOL: 'https',
    };
    expect(environmentOf(named, { ...named, GIT_DIR: '/x', GIT_CONFIG_COUNT: '1' })).toEqual(
      environmentOf({}),
    );
  });

  it('asks nothing, pages nothing and finds no repository above the workspace', () => {
    expect(environmentOf({})).toMatchObject({
      HOME: '/state/job/home',
      TMPDIR: '/state/job/temp',
      CI: 'true',
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_EDITOR: 'false',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CEILING_DIRECTORIES: '/state/job',
      CC_DELEGATE_WORKER: '1',
    });
  });
});

describe('toolchains below the real home', () => {
  it('are named where they are, unless the caller names another place', () => {
    const home = makeFolder();
    for (const name of ['.pyenv', '.cargo', '.fnm']) mkdirSync(join(home, name));
    expect(findToolchains({ HOME: home, CARGO_HOME: '/opt/cargo' })).toEqual({
      PYENV_ROOT: join(home, '.pyenv'),
      FNM_DIR: join(home, '.fnm'),
    });
    expect(findToolchains({})).toEqual({});
  });
});
