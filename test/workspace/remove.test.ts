import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { makeJobId } from '../../src/job/ids.ts';
import { MARKER, markJobFolder } from '../../src/workspace/marker.ts';
import { removeWorkspace } from '../../src/workspace/remove.ts';
import { makeFolder } from '../helpers/repository.ts';

const ID = makeJobId(1_800_000_000_000, 1);

async function marked(
  stateDirectory = makeFolder(),
  name: string = ID,
): Promise<{ stateDirectory: string; workspace: string }> {
  const folder = join(stateDirectory, 'hash', name);
  await markJobFolder(folder, ID);
  mkdirSync(join(folder, 'work'));
  writeFileSync(join(folder, 'work/f'), 'f');
  return { stateDirectory, workspace: join(folder, 'work') };
}

it('removes the folder with read-only folders and odd names in it, and not what links in it name', async () => {
  const job = await marked();
  const target = makeFolder();
  writeFileSync(join(target, 'precious'), 'p');
  symlinkSync(target, join(job.workspace, 'node_modules'));
  const odd = Buffer.concat([Buffer.from(`${job.workspace}/`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from('/x')]), 'x');
  mkdirSync(join(job.workspace, 'cache/locked'), { recursive: true });
  writeFileSync(join(job.workspace, 'cache/locked/f'), 'f');
  chmodSync(join(job.workspace, 'cache/locked'), 0o500);
  chmodSync(join(job.workspace, 'cache'), 0o000);
  expect(await removeWorkspace({ ...job, id: ID })).toEqual({ kind: 'removed' });
  expect(existsSync(dirname(job.workspace))).toBe(false);
  expect(readFileSync(join(target, 'precious'), 'utf8')).toBe('p');
  expect(await removeWorkspace({ ...job, id: ID })).toEqual({ kind: 'gone' });
});

it.each([
  {
    title: 'outside the state directory',
    place: async () => ({ ...(await marked()), stateDirectory: makeFolder() }),
  },
  {
    title: 'that only a link brings under the state directory',
    place: async () => {
      const elsewhere = await marked();
      const stateDirectory = makeFolder();
      symlinkSync(dirname(elsewhere.workspace), join(stateDirectory, 'job'));
      return { stateDirectory, workspace: join(stateDirectory, 'job/work') };
    },
  },
  {
    title: 'below a link that leaves the state directory',
    place: async () => {
      const elsewhere = await marked();
      const stateDirectory = makeFolder();
      symlinkSync(dirname(dirname(elsewhere.workspace)), join(stateDirectory, 'hash'));
      return { stateDirectory, workspace: join(stateDirectory, 'hash', ID, 'work') };
    },
  },
  {
    title: 'that climbs out with dots',
    place: async () => {
      const { stateDirectory } = await marked();
      const victim = await marked();
      return {
        stateDirectory,
        workspace: `${stateDirectory}/hash/../${relative(stateDirectory, victim.workspace)}`,
      };
    },
  },
  {
    title: 'without a marker',
    place: async () => {
      const job = await marked();
      writeFileSync(join(dirname(job.workspace), MARKER), 'x');
      return job;
    },
  },
  {
    title: 'whose marker is a link to a good one',
    place: async () => {
      const job = await marked();
      const folder = join(job.stateDirectory, 'hash/other');
      mkdirSync(join(folder, 'work'), { recursive: true });
      symlinkSync(join(dirname(job.workspace), MARKER), join(folder, MARKER));
      return { ...job, workspace: join(folder, 'work') };
    },
  },
  {
    title: 'that is the state directory itself',
    place: async () => {
      const job = await marked();
      return { ...job, workspace: join(job.stateDirectory, 'work') };
    },
  },
])('refuses a folder $title, and touches nothing (SEC-08)', async ({ place }) => {
  const { stateDirectory, workspace } = await place();
  expect(await removeWorkspace({ stateDirectory, workspace, id: ID })).toMatchObject({ kind: 'refused' });
  expect(existsSync(dirname(workspace))).toBe(true);
});

it('refuses the folder of another job', async () => {
  const job = await marked();
  const other = makeJobId(1_800_000_000_000, 2);
  expect(await removeWorkspace({ ...job, id: other })).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining(other),
  });
  expect(existsSync(job.workspace)).toBe(true);
});
