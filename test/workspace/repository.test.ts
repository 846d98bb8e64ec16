import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../src/job/user-error.ts';
import { userGit } from '../../src/workspace/git.ts';
import { uncommitted } from '../../src/workspace/ready/checkout-status.ts';
import { findRepository, resolveBase, storeIsTracked } from '../../src/workspace/repository.ts';
import { git, makeFolder, makeRepository, writeFiles } from '../helpers/repository.ts';

afterEach(() => vi.unstubAllEnvs());

/** What the user would be told. */
async function told(
  promise: Promise<unknown>,
): Promise<{ code: string; exit: number; what: string; remedy: string }> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw new Error(`no UserError: ${error}`);
  const { code, exit, what, remedy } = error.explanation;
  return { code, exit, what, remedy };
}

function submodule(): { top: string; lib: string } {
  const source = makeRepository({ l: 'l\n' });
  const top = makeRepository();
  git(top, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'lib');
  git(top, 'commit', '-qm', 'lib');
  return { top, lib: join(top, 'lib') };
}

describe('finding the repository', () => {
  it('from its root, a folder below and through a link, with spaces in the path', async () => {
    const folder = join(makeFolder(), 'with space');
    mkdirSync(folder);
    makeRepository({ 'pkg/a/x': 'x\n' }, folder);
    const link = join(makeFolder(), 'link');
    symlinkSync(folder, link);
    const expected = {
      checkout: folder,
      home: folder,
      gitDir: join(folder, '.git'),
      commonDir: join(folder, '.git'),
    };
    expect(await findRepository(folder)).toMatchObject({ ...expected, subdirectory: '' });
    expect(await findRepository(join(folder, 'pkg/a'))).toMatchObject({ ...expected, subdirectory: 'pkg/a' });
    expect(await findRepository(join(link, 'pkg'))).toMatchObject({ ...expected, subdirectory: 'pkg' });
  });

  it('in a linked worktree: its own checkout, the home of the main one, objects of both (GIT-41)', async () => {
    const main = makeRepository();
    const linked = join(makeFolder(), 'linked');
    git(main, 'worktree', 'add', '-q', '-b', 'feat', linked);
    git(linked, 'commit', '-q', '--allow-empty', '-m', 'feat');
    const found = await findRepository(linked);
    expect(found).toMatchObject({ checkout: linked, home: main, commonDir: join(main, '.git') });
    expect(found.gitDir).toBe(join(main, '.git/worktrees/linked'));
    expect(found.objectDirectories).toEqual([join(main, '.git/objects')]);
    expect(await resolveBase(found)).toBe(git(linked, 'rev-parse', 'HEAD'));
  });

  it('in a submodule: the submodule, not what is around it (GIT-41)', async () => {
    const { top, lib } = submodule();
    const found = await findRepository(lib);
    expect(found).toMatchObject({ checkout: lib, home: lib, commonDir: join(top, '.git/modules/lib') });
    expect(await resolveBase(found)).toBe(git(lib, 'rev-parse', 'HEAD'));
  });

  it('in a linked worktree of a submodule: the home is the submodule', async () => {
    const { lib } = submodule();
    const linked = join(makeFolder(), 'linked');
    git(lib, 'worktree', 'add', '-q', '-b', 'feat', linked);
    expect(await findRepository(linked)).toMatchObject({ checkout: linked, home: lib });
  });

  it('in a worktree of a bare repository: no home', async () => {
    const bare = join(makeFolder(), 'bare.git');
    git(makeRepository(), 'clone', '-q', '--bare', '.', bare);
    const linked = join(makeFolder(), 'linked');
    git(bare, 'worktree', 'add', '-q', linked, 'main');
    expect(await findRepository(linked)).toMatchObject({ checkout: linked, home: null, commonDir: bare });
  });

  it('with alternates of alternates, and a shallow history', async () => {
    const first = makeRepository();
    const second = join(makeFolder(), 'second');
    git(first, 'clone', '-q', '--shared', first, second);
    const third = join(makeFolder(), 'third');
    git(first, 'clone', '-q', '--shared', second, third);
    const stores = [third, second, first].map((top) => join(top, '.git/objects'));
    expect((await findRepository(third)).objectDirectories).toEqual(stores);
    const shallow = join(makeFolder(), 'shallow');
    git(first, 'clone', '-q', '--depth=1', `file://${first}`, shallow);
    expect((await findRepository(shallow)).shallowFile).toBe(join(shallow, '.git/shallow'));
    expect((await findRepository(first)).shallowFile).toBeNull();
  });

  it.each([
    { title: 'no repository', make: () => makeFolder(), code: 'not_a_repository' },
    { title: 'no such folder', make: () => join(makeFolder(), 'nowhere'), code: 'no_such_folder' },
    {
      title: 'the git directory itself',
      make: () => join(makeRepository(), '.git'),
      code: 'no_working_tree',
    },
    {
      title: 'a line break in the path',
      make: () => {
        const folder = join(makeFolder(), 'a\nb');
        mkdirSync(folder);
        return makeRepository({}, folder);
      },
      code: 'unsupported_path',
    },
    {
      title: 'a partial clone',
      make: () => {
        const source = makeRepository();
        git(source, 'config', 'uploadpack.allowFilter', 'true');
        const folder = join(makeFolder(), 'partial');
        git(source, 'clone', '-q', '--filter=blob:none', '--no-checkout', `file://${source}`, folder);
        return folder;
      },
      code: 'partial_clone',
    },
    {
      title: 'refs in a format this git does not know',
      make: () => {
        const folder = makeRepository();
        git(folder, 'config', 'core.repositoryFormatVersion', '1');
        git(folder, 'config', 'extensions.refStorage', 'reftable');
        return folder;
      },
      code: expect.stringMatching(/^(git_refused|unsupported_repository)$/),
    },
  ])('refuses $title with exit 6 and a remedy', async ({ make, code }) => {
    expect(await told(findRepository(make()))).toMatchObject({
      code,
      exit: 6,
      remedy: expect.stringMatching(/\w/),
    });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'quotes git when it does not trust the owner (GIT-38; needs root)',
    async () => {
      const folder = makeRepository({});
      vi.stubEnv('HOME', makeFolder());
      for (const name of ['', '.git', ...readdirSync(join(folder, '.git')).map((name) => `.git/${name}`)]) {
        chownSync(join(folder, name), 12345, 12345);
      }
      const answer = await told(findRepository(folder));
      expect(answer).toMatchObject({ code: 'git_refused', exit: 6 });
      expect(answer.what).toMatch(/dubious ownership/);
    },
  );
});

describe('the base', () => {
  it('is what HEAD of this checkout is, detached or not, whatever other refs say (GIT-03)', async () => {
    const checkout = makeRepository();
    git(checkout, 'commit', '-q', '--allow-empty', '-m', 'second');
    const second = git(checkout, 'rev-parse', 'HEAD');
    git(checkout, 'checkout', '-q', '--detach');
    git(checkout, 'branch', '-f', 'main', 'HEAD~1');
    git(checkout, 'update-ref', 'refs/remotes/origin/HEAD', 'main');
    expect(await resolveBase(await findRepository(checkout))).toBe(second);
  });

  it('is missing before the first commit, whatever is staged (GIT-01)', async () => {
    const folder = makeFolder();
    git(folder, 'init', '-q', '-b', 'trunk');
    writeFiles(folder, { staged: 'x\n' });
    git(folder, 'add', 'staged');
    const answer = await told(resolveBase(await findRepository(folder)));
    expect(answer).toMatchObject({
      code: 'no_commit',
      exit: 6,
      remedy: expect.stringContaining('git commit'),
    });
    expect(git(folder, 'diff', '--cached', '--name-only')).toBe('staged');
  });

  it.each(['nix', '-D', '--all', '', 'HEAD^{tree}', 'main..main', 'a\0b'])(
    'refuses %j with exit 2',
    async (rev) => {
      const repository = await findRepository(makeRepository());
      expect(await told(resolveBase(repository, rev))).toMatchObject({ code: 'unknown_revision', exit: 2 });
    },
  );

  it('is the commit a tag stands for', async () => {
    const checkout = makeRepository();
    git(checkout, 'tag', '-a', 'v1', '-m', 'v1');
    expect(await resolveBase(await findRepository(checkout), 'v1')).toBe(git(checkout, 'rev-parse', 'main'));
  });
});

it('says what the worker will not see, and leaves the index alone (GIT-06)', async () => {
  const checkout = makeRepository({ f: 'f\n', g: 'g\n', 'old name': 'o\n', '.gitignore': 'ignored\n' });
  writeFiles(checkout, { f: 'F\n', g: 'G\n', 'new\nline': 'n\n', 'dir/u': 'u\n', ignored: 'i\n' });
  git(checkout, 'add', 'g');
  git(checkout, 'mv', 'old name', 'name');
  const repository = await findRepository(checkout);
  // A file whose content is as it was: a plain status would write its new time into the index.
  utimesSync(join(checkout, '.gitignore'), 1_000_000_000, 1_000_000_000);
  const index = readFileSync(join(checkout, '.git/index'));
  const found = await uncommitted(repository);
  expect(readFileSync(join(checkout, '.git/index')).equals(index)).toBe(true);
  expect([...found.changed].sort()).toEqual(['f', 'g', 'name', 'old name']);
  expect([...found.untracked].sort()).toEqual(['dir/u', 'new\nline']);
});

it('notices a repository that brings a store of its own', async () => {
  const plain = makeRepository();
  writeFiles(plain, { '.cc-delegate/jobs/x.json': '{}' });
  expect(await storeIsTracked(await findRepository(plain))).toBe(false);
  const hostile = makeRepository({ '.cc-delegate/config.yaml': 'x\n', 'sub/f': 'f\n' });
  expect(await storeIsTracked(await findRepository(join(hostile, 'sub')))).toBe(true);
});

describe('the environment of git', () => {
  it('has nothing of an inherited GIT_DIR, index or work tree (GIT-35)', async () => {
    const other = makeRepository({ other: 'o\n' });
    const checkout = makeRepository();
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_WORK_TREE', other);
    vi.stubEnv('GIT_INDEX_FILE', join(other, '.git/index'));
    expect((await findRepository(checkout)).checkout).toBe(checkout);
    const found = await userGit({ checkout }, ['ls-files']);
    expect(found.stdout.toString()).toBe('README.md\n');
  });

  it('never takes a git that lies in the repository', async () => {
    const checkout = makeRepository();
    const trap = join(checkout, 'ran');
    mkdirSync(join(checkout, 'bin'));
    writeFileSync(join(checkout, 'bin/git'), `#!/bin/sh\ntouch '${trap}'\n`);
    chmodSync(join(checkout, 'bin/git'), 0o755);
    vi.stubEnv('PATH', [join(checkout, 'bin'), '.', '', process.env.PATH].join(delimiter));
    expect((await findRepository(join(checkout, 'bin'))).checkout).toBe(realpathSync(checkout));
    expect(existsSync(trap)).toBe(false);
  });

  it('runs no program the configuration of the repository names', async () => {
    const checkout = makeRepository();
    const trap = join(makeFolder(), 'ran');
    git(checkout, 'config', 'core.fsmonitor', `touch '${trap}'; false`);
    git(checkout, 'config', 'core.pager', `touch '${trap}'; cat`);
    const repository = await findRepository(checkout);
    await uncommitted(repository);
    expect(existsSync(trap)).toBe(false);
    git(checkout, 'status');
    expect(existsSync(trap)).toBe(true);
  });
});
