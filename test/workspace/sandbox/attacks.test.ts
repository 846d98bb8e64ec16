import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, runAs, USERS, type User } from './as-user.ts';
import { ATTACKS } from './fixtures/attacks.ts';
import { levelsHere } from './helpers.ts';

const PROGRAM = join(import.meta.dirname, 'fixtures/attack-run.ts');
const hasFull = (await levelsHere()).includes('full');

type Effects = Record<string, readonly string[]>;

/** Those that come to nothing even without a sandbox: the clone alone, its private home or this git holds them. */
const HARMLESS = [
  'config, by plain git config',
  'config of the user',
  'ref of the clone',
  'objects of the clone spoiled',
  'a nested repository',
  'a link out of the tree',
  'a command for alternates',
  'a work tree elsewhere',
  'a hook for packing',
  'its own pager',
  'its own editor',
  'an alias for status',
];

function attackAs(user: User, level: 'full' | 'none'): Promise<Effects> {
  const folder = folderOf(user);
  return runAs<Effects>(user, PROGRAM, [folder, level], folder);
}

it.runIf(hasFull)(
  'a worker that attacks reaches nothing of the user at level full, root or not',
  async () => {
    const all = await Promise.all(USERS.map((user) => attackAs(user, 'full')));
    for (const effects of all) {
      expect(Object.keys(effects)).toHaveLength(ATTACKS.length + 1);
      expect(Object.entries(effects).filter(([, found]) => found.length > 0)).toEqual([]);
    }
  },
);

it('at level none all but a few of these attacks do harm, so that the test above can fail', async () => {
  const effects = await attackAs('ourselves', 'none');
  const harmless = Object.keys(effects).filter((name) => effects[name]?.length === 0);
  expect(harmless).toEqual(HARMLESS);
});
