import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extraFolders } from '../../src/cli/extra-folders.ts';
import { foldersStillThere } from '../../src/workspace/folders-beside.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { agreed, contextOf } from './context.ts';

/** A home with a repository, folders beside it and what no worker is to read. */
function place() {
  const home = realpathSync(makeFolder());
  const cwd = join(home, 'code', 'repo');
  mkdirSync(cwd, { recursive: true });
  makeRepository({ 'a.txt': 'a\n', 'data/b.txt': 'b\n' }, cwd);
  for (const folder of ['.ssh', 'code/other/deep', 'jobs', '.claude/projects', 'code/repo/.cc-delegate/jobs'])
    mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, 'code', 'file'), '');
  symlinkSync('../../.ssh', join(home, 'code', 'other', 'keys'));
  symlinkSync('code/other', join(home, 'link'));
  const env = { CC_DELEGATE_STATE: join(home, 'jobs') };
  const person = contextOf({ cwd, userDir: home, env });
  const model = contextOf({ cwd, userDir: home, env: { ...env, CLAUDECODE: '1' } });
  // `contextOf` has one folder for both: here the user's files are elsewhere.
  const apart = <C extends typeof person>(context: C): C => ({
    ...context,
    env: { ...context.env, CC_DELEGATE_HOME: join(home, 'ours') },
  });
  const repository = { checkout: cwd, commonDir: join(cwd, '.git'), home: cwd };
  return { home, cwd, person: apart(person), model: apart(model), around: { repository, allowed: [] } };
}

describe('a folder beside the workspace', () => {
  it('is known by its real path, once, however it is spelled', () => {
    const { home, person, around } = place();
    const other = join(home, 'code', 'other');
    const typed = ['../other', other, '../../link', '../other/deep', 'data'];
    expect(extraFolders(person, typed, around)).toEqual([
      other,
      join(other, 'deep'),
      join(person.cwd, 'data'),
    ]);
  });

  it.each([
    ['../nowhere', 2, /there is none; ..\/nowhere/],
    ['../file', 2, /this is a file; ..\/file/],
    ['', 2, /takes a folder/],
    ['/', 5, /whole home/],
    ['../..', 5, /whole home/],
    ['.', 5, /checkout is in/],
    ['..', 5, /checkout is in/],
    ['.git', 5, /history of this repository/],
    ['.git/objects', 5, /history of this repository/],
    ['.cc-delegate/jobs', 5, /records and workspaces/],
    ['../../jobs', 5, /records and workspaces/],
    ['../../.ssh', 5, /keys and logins/],
    ['../other/keys', 5, /keys and logins/],
    ['../../.claude/projects', 5, /keys and logins/],
    ['/proc/self', 5, /belongs to the machine/],
    ['/etc', 5, /is everybody/],
  ])('is refused to everybody: %j', async (typed, exit, words) => {
    const { person, around } = place();
    const refused = await refusal(async () => extraFolders(person, ['../other', typed], around));
    expect(refused).toMatchObject({ exit, message: expect.stringMatching(words) });
  });

  it('is a model’s to give only at or below what the user has allowed, links followed', async () => {
    const { home, model, around } = place();
    const allowing = { ...around, allowed: [join(home, 'gone'), join(home, 'link')] };
    expect(extraFolders(model, ['../other/deep', '../other'], allowing)).toHaveLength(2);
    for (const [typed, bounds] of [
      ['../other', around],
      ['data', allowing],
      ['../other/keys', allowing],
    ] as const) {
      expect(await refusal(async () => extraFolders(model, [typed], bounds)), typed).toMatchObject({
        exit: 5,
      });
    }
    const other = { ...model, consent: agreed(['--budget', '9'], 'typed') };
    expect(await refusal(async () => extraFolders(other, ['../other'], around))).toMatchObject({ exit: 5 });
    const named = { ...model, consent: agreed(['add', '../other'], 'typed') };
    expect(extraFolders(named, ['../other'], around)).toHaveLength(1);
    const withYes = { ...model, consent: agreed(['start', 'x', '--add-dir', '../other']) };
    expect(extraFolders(withYes, ['../other'], around)).toHaveLength(1);
  });

  it('is none with records of jobs in it, whatever repository they are of', async () => {
    const { home, person, around } = place();
    const main = join(home, 'code', 'main');
    mkdirSync(join(main, '.cc-delegate', 'runs'), { recursive: true });
    const worktree = { ...around, repository: { ...around.repository, home: main } };
    for (const typed of ['../main', '../main/.cc-delegate', '../main/.cc-delegate/runs'])
      for (const where of [around, worktree])
        expect(await refusal(async () => extraFolders(person, [typed], where)), typed).toMatchObject({
          exit: 5,
          message: expect.stringMatching(/records and workspaces/),
        });
  });

  it('is left out of a later turn where it has gone, or is a link now', () => {
    const { home } = place();
    const other = join(home, 'code', 'other');
    const gone = join(home, 'gone');
    const link = join(home, 'link');
    expect(foldersStillThere([other, gone, link])).toEqual({
      there: [other],
      notices: [gone, link].map((each) => `not there any more, and not given to the worker: ${each}`),
    });
  });
});
