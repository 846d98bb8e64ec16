import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changesWhatRuns } from '../../src/workspace/config-danger.ts';
import { compareFingerprints, dangerousDifferences, fingerprint } from '../../src/workspace/integrity.ts';
import { findRepository } from '../../src/workspace/repository.ts';
import { GIT_ENVIRONMENT, git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { collectChanged, startJob, work } from './job.ts';

interface Row {
  readonly title: string;
  readonly script: string;
  /** `<kind> <name>`; a name that ends with / stands for a file below. */
  readonly seen: readonly string[];
  readonly dangerous: boolean;
}

const ROWS: readonly Row[] = [
  {
    title: 'a status that refreshes the index',
    script: 'touch a; git status -s',
    seen: [],
    dangerous: false,
  },
  {
    title: 'a gc',
    script: 'git gc -q; git pack-refs --all; git update-server-info',
    seen: [],
    dangerous: false,
  },
  { title: 'an edit that is not staged', script: 'echo x > a; echo y > new', seen: [], dangerous: false },
  { title: 'a staged file', script: 'echo x > a; git add a', seen: ['index entries'], dangerous: false },
  {
    title: 'a hidden path',
    script: 'git update-index --force-remove a',
    seen: ['index entries'],
    dangerous: false,
  },
  {
    title: 'a commit',
    script: 'git commit -q --allow-empty -m x',
    seen: ['refs refs/heads/main'],
    dangerous: false,
  },
  { title: 'a new branch', script: 'git branch other', seen: ['refs refs/heads/other'], dangerous: false },
  {
    title: 'a switched branch',
    script: 'git switch -qc b',
    seen: ['head HEAD', 'refs refs/heads/b'],
    dangerous: false,
  },
  {
    title: 'a moved tag',
    script: 'git tag -f v1 $(git commit-tree -m t HEAD^{tree}) >/dev/null',
    seen: ['refs refs/tags/v1'],
    dangerous: false,
  },
  {
    title: 'a replaced object',
    script: 'git replace -f main $(git commit-tree -m t HEAD^{tree})',
    seen: ['refs refs/replace/'],
    dangerous: false,
  },
  {
    title: 'a dropped stash',
    script: 'git stash drop -q',
    seen: ['refs (stash)', 'refs refs/stash'],
    dangerous: false,
  },
  {
    title: 'a remote',
    script: 'git remote add o https://example.invalid/x',
    seen: ['config remote.o.fetch', 'config remote.o.url'],
    dangerous: false,
  },
  {
    title: 'fsmonitor',
    script: 'git config core.fsmonitor "touch x"',
    seen: ['config core.fsmonitor'],
    dangerous: true,
  },
  {
    title: 'an alias',
    script: 'git config alias.status "!touch x"',
    seen: ['config alias.status'],
    dangerous: true,
  },
  {
    title: 'a filter',
    script: 'git config filter.x.clean "touch x"',
    seen: ['config filter.x.clean'],
    dangerous: true,
  },
  {
    title: 'an include',
    script: 'git config include.path /nowhere/config',
    seen: ['config include.path'],
    dangerous: true,
  },
  {
    title: 'where pushes go',
    script: 'git config remote.o.pushurl /nowhere/else',
    seen: ['config remote.o.pushurl'],
    dangerous: true,
  },
  {
    title: 'a worktree configuration',
    script: 'printf "[core]\\n\\tpager = x\\n" > .git/config.worktree',
    seen: ['config core.pager'],
    dangerous: true,
  },
  {
    title: 'a hook',
    script: 'printf "#!/bin/sh\\n" > .git/hooks/post-checkout',
    seen: ['hooks /post-checkout'],
    dangerous: true,
  },
  {
    title: 'a hook made executable',
    script: 'chmod +x .git/hooks/idle',
    seen: ['hooks /idle'],
    dangerous: true,
  },
  {
    title: 'renamed hooks',
    script: 'mv .git/hooks .git/h; mkdir .git/hooks',
    seen: ['hooks /idle'],
    dangerous: true,
  },
  {
    title: 'an ignore rule',
    script: 'echo x >> .git/info/exclude',
    seen: ['info /exclude'],
    dangerous: true,
  },
  {
    title: 'attributes',
    script: 'echo "* filter=x" > .git/info/attributes',
    seen: ['info /attributes'],
    dangerous: true,
  },
  {
    title: 'alternates',
    script: 'echo /tmp > .git/objects/info/alternates',
    seen: ['alternates /alternates'],
    dangerous: true,
  },
];

it.each(ROWS)('$title is seen as what it is', async ({ script, seen, dangerous }) => {
  const checkout = makeRepository({ a: 'a\n' });
  const shell = (text: string) =>
    execFileSync('bash', ['-ec', text], { cwd: checkout, env: GIT_ENVIRONMENT });
  shell(
    'mkdir -p .git/hooks .git/info; : > .git/hooks/idle; : > .git/info/exclude; git tag v1; echo s > a; git stash -q',
  );
  const repository = await findRepository(checkout);
  const before = await fingerprint(repository);
  shell(script);
  const differences = compareFingerprints(before, await fingerprint(repository));
  const names = differences.map(({ kind, name }) => `${kind} ${name}`).sort();
  expect(
    names.map((name) =>
      name
        .replace(/^(hooks|info|alternates) .*\//, '$1 /')
        .replace(/^(refs refs\/replace\/).*/, '$1')
        .replace(/^refs \/.*stash$/, 'refs (stash)'),
    ),
  ).toEqual(seen);
  expect(dangerousDifferences(differences).length > 0).toBe(dangerous);
});

it('a whole job leaves no difference', async () => {
  const checkout = makeRepository({ a: 'a\n' });
  const before = await fingerprint(await findRepository(checkout));
  const job = await startJob(checkout);
  work(job, 'echo b > a');
  await collectChanged(job);
  expect(compareFingerprints(before, await fingerprint(job.repository))).toEqual([]);
});

it('a branch that is expected to move is no difference', async () => {
  const checkout = makeRepository();
  const repository = await findRepository(checkout);
  const before = await fingerprint(repository);
  git(checkout, 'commit', '-q', '--allow-empty', '-m', 'x');
  const after = await fingerprint(repository);
  expect(compareFingerprints(before, after, ['main'])).toEqual([]);
  expect(compareFingerprints(before, after, ['other'])).toHaveLength(1);
});

it('sees hooks where core.hooksPath points, and a linked worktree for itself', async () => {
  const checkout = makeRepository({ '.husky/pre-commit': 'x\n' });
  git(checkout, 'config', 'core.hooksPath', '.husky');
  const linked = join(makeFolder(), 'linked');
  git(checkout, 'worktree', 'add', '-q', '-b', 'feat', linked);
  const repository = await findRepository(linked);
  const before = await fingerprint(repository);
  execFileSync('bash', ['-ec', 'echo y > .husky/pre-commit'], { cwd: linked });
  git(checkout, 'switch', '-qc', 'elsewhere');
  const kinds = compareFingerprints(before, await fingerprint(repository)).map(
    ({ kind, name }) => `${kind} ${name}`,
  );
  expect(kinds).toEqual([`hooks ${join(linked, '.husky/pre-commit')}`, 'refs refs/heads/elsewhere']);
});

it.each([
  ['core.sshcommand', true],
  ['diff.X.Y.textconv', true],
  ['includeif.gitdir:/x.path', true],
  ['url./evil.insteadof', true],
  ['user.name', false],
  ['branch.main.remote', false],
  ['core.autocrlf', false],
])('%s changes what runs: %s', (key, expected) => {
  expect(changesWhatRuns(key)).toBe(expected);
});
