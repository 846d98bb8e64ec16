import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoriesFolder, repositoryFile } from '../../src/store/paths.ts';
import { knownRepositories, registerRepository } from '../../src/store/repositories.ts';
import { makeFolder } from '../helpers/repository.ts';

describe('the list of repositories', () => {
  it('knows what was registered, once each, and forgets what vanished', () => {
    const user = join(makeFolder(), 'user');
    const [one, two] = [makeFolder(), makeFolder()];
    for (const path of [one, two, one])
      expect(registerRepository(user, { path, stateDir: '/state' })).toBe(null);
    expect(knownRepositories(user).map((known) => known.path)).toEqual([one, two].sort());
    rmSync(two, { recursive: true });
    expect(knownRepositories(user)).toEqual([{ path: one, stateDir: '/state' }]);
    expect(readdirSync(repositoriesFolder(user))).toHaveLength(2);
  });

  it('does not write again what it has', () => {
    const user = makeFolder();
    const path = makeFolder();
    registerRepository(user, { path, stateDir: '/state' });
    const before = statSync(repositoryFile(user, path)).ino;
    registerRepository(user, { path, stateDir: '/state' });
    expect(statSync(repositoryFile(user, path)).ino).toBe(before);
    registerRepository(user, { path, stateDir: '/other' });
    expect(knownRepositories(user)).toEqual([{ path, stateDir: '/other' }]);
  });

  it.each(['', '{', 'null', '{"path":"relative","stateDir":"/s"}', '{"path":"/a\\u0000b","stateDir":"/s"}'])(
    'leaves out a broken entry: %j',
    (text) => {
      const user = makeFolder();
      mkdirSync(repositoriesFolder(user));
      writeFileSync(join(repositoriesFolder(user), `${'0'.repeat(16)}.json`), text);
      expect(knownRepositories(user)).toEqual([]);
    },
  );

  it('warns instead of failing when the home cannot be written', () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    expect(registerRepository(file, { path: '/r', stateDir: '/s' })).toMatch(/will not be found.*ENOTDIR/);
    expect(knownRepositories(file)).toEqual([]);
  });
});
