import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type JobId, makeJobId } from '../../src/job/ids.ts';
import {
  deleteBranch,
  freeBranch,
  jobRef,
  moveBranch,
  pinBase,
  releasePins,
  reserveBranch,
} from '../../src/workspace/refs.ts';
import { findRepository, type Repository } from '../../src/workspace/repository.ts';
import { git, makeFolder, makeRepository } from '../helpers/repository.ts';

const ID: JobId = makeJobId(1_800_000_000_000, 7);

async function twoCommits(): Promise<{
  checkout: string;
  repository: Repository;
  first: string;
  second: string;
}> {
  const checkout = makeRepository();
  const first = git(checkout, 'rev-parse', 'HEAD');
  const second = git(checkout, 'commit-tree', '-m', 'second', '-p', first, `${first}^{tree}`);
  return { checkout, repository: await findRepository(checkout), first, second };
}

it('a pin keeps the base through a deleted branch and a gc, and may be set twice', async () => {
  const { checkout, repository, second } = await twoCommits();
  await pinBase(repository, ID, second);
  await pinBase(repository, ID, second);
  git(checkout, 'gc', '-q', '--prune=now');
  expect(git(checkout, 'cat-file', '-t', second)).toBe('commit');
  await releasePins(repository, ID);
  await releasePins(repository, ID);
  expect(git(checkout, 'for-each-ref', 'refs/delegate')).toBe('');
});

it('a pin is never moved to another commit', async () => {
  const { repository, first, second } = await twoCommits();
  await pinBase(repository, ID, first);
  await expect(pinBase(repository, ID, second)).rejects.toThrow(/reference already exists/);
});

it('reserves the branch at the base, without a checkout, a log or a line of configuration', async () => {
  const { checkout, repository, first } = await twoCommits();
  git(checkout, 'config', 'branch.autoSetupMerge', 'always');
  const config = git(checkout, 'config', '--list', '--local');
  expect(await reserveBranch(repository, ID, first)).toEqual({ kind: 'reserved', branch: `delegate/${ID}` });
  expect(git(checkout, 'rev-parse', `delegate/${ID}`)).toBe(first);
  expect(git(checkout, 'config', '--list', '--local')).toBe(config);
  expect(git(checkout, 'branch', '--show-current')).toBe('main');
});

it.each(['', '/sub'])(
  'leaves an existing branch delegate/<id>%s alone and says taken (GIT-37)',
  async (below) => {
    const { checkout, repository, first, second } = await twoCommits();
    git(checkout, 'branch', `delegate/${ID}${below}`, second);
    expect(await reserveBranch(repository, ID, first)).toMatchObject({ kind: 'taken' });
    expect(git(checkout, 'rev-parse', `delegate/${ID}${below}`)).toBe(second);
  },
);

it.each([
  [[], `delegate/${ID}`],
  [[`delegate/other`, `delegate/${ID}x`, `delegated`, `${ID}`], `delegate/${ID}`],
  [['delegate'], `cc-delegate/${ID}`],
  [[`delegate/${ID}`], null],
  [[`delegate/${ID}/sub`], null],
  [['delegate', `cc-delegate/${ID}`], null],
])('beside the branches %j the free name is %s', async (branches, free) => {
  const { checkout, repository } = await twoCommits();
  for (const branch of branches) git(checkout, 'branch', branch);
  expect(await freeBranch(repository, ID)).toBe(free);
});

it('finds no free name where both folders are branches', async () => {
  const { checkout, repository } = await twoCommits();
  for (const branch of ['delegate', 'cc-delegate']) git(checkout, 'branch', branch);
  await expect(freeBranch(repository, ID)).rejects.toThrow(/leave no room/);
});

it('goes to cc-delegate/<id> when a branch is called delegate (GIT-36)', async () => {
  const { checkout, repository, first, second } = await twoCommits();
  git(checkout, 'branch', 'delegate', second);
  expect(await reserveBranch(repository, ID, first)).toEqual({
    kind: 'reserved',
    branch: `cc-delegate/${ID}`,
  });
  expect(git(checkout, 'rev-parse', 'delegate')).toBe(second);
  git(checkout, 'branch', '-m', `cc-delegate/${ID}`, 'elsewhere');
  git(checkout, 'branch', 'cc-delegate', second);
  await expect(reserveBranch(repository, ID, first)).rejects.toThrow(/rename one of them/);
});

it('moves its branch only from where it left it', async () => {
  const { checkout, repository, first, second } = await twoCommits();
  await reserveBranch(repository, ID, first);
  const move = { branch: `delegate/${ID}`, from: first, to: second };
  expect(await moveBranch(repository, move)).toEqual({ kind: 'moved' });
  expect(await moveBranch(repository, move)).toEqual({ kind: 'moved' });
  expect(git(checkout, 'rev-parse', move.branch)).toBe(second);
  expect(
    await moveBranch(repository, { ...move, to: git(checkout, 'rev-parse', `${first}^{tree}`) }),
  ).toEqual({
    kind: 'left',
    why: 'changed',
  });
  git(checkout, 'branch', '-D', move.branch);
  expect(await moveBranch(repository, move)).toEqual({ kind: 'left', why: 'gone' });
});

it('leaves a branch that the user has checked out, in whatever worktree', async () => {
  const { checkout, repository, first, second } = await twoCommits();
  await reserveBranch(repository, ID, first);
  git(checkout, 'worktree', 'add', '-q', join(makeFolder(), 'w'), `delegate/${ID}`);
  const move = { branch: `delegate/${ID}`, from: first, to: second };
  expect(await moveBranch(repository, move)).toEqual({ kind: 'left', why: 'checked_out' });
  expect(await deleteBranch(repository, move.branch, first)).toBe(false);
  expect(git(checkout, 'rev-parse', move.branch)).toBe(first);
});

it('deletes its branch only if it did not move', async () => {
  const { checkout, repository, first, second } = await twoCommits();
  await reserveBranch(repository, ID, first);
  expect(await deleteBranch(repository, `delegate/${ID}`, second)).toBe(false);
  expect(await deleteBranch(repository, `delegate/${ID}`, first)).toBe(true);
  expect(await deleteBranch(repository, `delegate/${ID}`, first)).toBe(true);
  expect(git(checkout, 'branch', '--list', 'delegate/*')).toBe('');
});

it('runs no hook of the user for any of it (GIT-32)', async () => {
  const { checkout, repository, first, second } = await twoCommits();
  git(checkout, 'config', 'core.hooksPath', makeHook());
  await pinBase(repository, ID, first);
  await reserveBranch(repository, ID, first);
  await moveBranch(repository, { branch: `delegate/${ID}`, from: first, to: second });
  await releasePins(repository, ID);
  expect(git(checkout, 'for-each-ref', '--format=%(objectname)', jobRef(ID, 'base'))).toBe('');
  expect(git(checkout, 'config', 'core.hooksPath')).toMatch(/hooks$/);
});

/** A hook that forbids every change of a ref. */
function makeHook(): string {
  const folder = join(makeFolder(), 'hooks');
  mkdirSync(folder);
  writeFileSync(join(folder, 'reference-transaction'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return folder;
}
