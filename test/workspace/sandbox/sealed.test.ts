import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf, runAs, USERS } from './as-user.ts';
import { levelsHere } from './helpers.ts';

const PROGRAM = join(import.meta.dirname, 'fixtures/probe-run.ts');
// Where the job is below /tmp and where it is not, since /tmp is not the same there.
const BASES = ['/tmp', ...(process.getuid?.() === 0 ? ['/var/lib'] : [])];

describe.runIf((await levelsHere()).includes('full'))('at level full', () => {
  it.each(USERS.flatMap((user) => BASES.map((base) => [user, base] as const)))(
    'every bind and flag does what it is for, as %s, with the job in %s',
    async (user, base) => {
      const folder = folderOf(user, base);
      expect(await runAs<string[]>(user, PROGRAM, [folder, 'full'], folder)).toEqual([]);
    },
  );
});

it('the probes can fail: at level none these are red', async () => {
  const folder = folderOf('ourselves');
  const red = await runAs<string[]>('ourselves', PROGRAM, [folder, 'none'], folder);
  expect(red).toEqual(
    expect.arrayContaining([
      'processes of its own',
      'a session of its own',
      'no way to a port of the host',
      'no shared memory of the host',
      'a host name of its own',
      'nothing beside them',
      'it dies with its parent',
    ]),
  );
});
