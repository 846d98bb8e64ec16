import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/job/user-error.ts';
import { stateDirectory, userDirectory, workspacePaths } from '../../src/store/paths.ts';
import { newId } from './fixtures/records.ts';

describe('where things are', () => {
  it.each([
    { env: { HOME: '/h' }, user: '/h/.cc-delegate', state: '/h/.local/state/cc-delegate' },
    { env: { HOME: '/h', XDG_STATE_HOME: '/x' }, user: '/h/.cc-delegate', state: '/x/cc-delegate' },
    {
      env: { HOME: '/h', XDG_STATE_HOME: 'x' },
      user: '/h/.cc-delegate',
      state: '/h/.local/state/cc-delegate',
    },
    {
      env: { HOME: '/h', XDG_STATE_HOME: '' },
      user: '/h/.cc-delegate',
      state: '/h/.local/state/cc-delegate',
    },
    { env: { HOME: '/h', CC_DELEGATE_HOME: '/u', CC_DELEGATE_STATE: '/s' }, user: '/u', state: '/s' },
    {
      env: { HOME: '/h', CC_DELEGATE_HOME: '', CC_DELEGATE_STATE: '' },
      user: '/h/.cc-delegate',
      state: '/h/.local/state/cc-delegate',
    },
  ])('follows the environment $env', ({ env, user, state }) => {
    expect(userDirectory(env)).toBe(user);
    expect(stateDirectory(env)).toBe(state);
  });

  it('refuses a relative folder, which would mean another one for the runner', () => {
    expect(() => userDirectory({ CC_DELEGATE_HOME: 'here' })).toThrow(UserError);
    expect(() => stateDirectory({ CC_DELEGATE_STATE: './here' })).toThrow(/absolute/);
  });

  it('keeps the workspaces of two repositories apart', () => {
    const id = newId();
    const one = workspacePaths('/s', '/a', id);
    expect(one.folder).not.toBe(workspacePaths('/s', '/b', id).folder);
    expect(one.folder.startsWith('/s/')).toBe(true);
    expect(one.folder.endsWith(`/${id}`)).toBe(true);
  });
});
