import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GIT_ENVIRONMENT, git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { collectChanged, everythingOf, listed, startJob, work } from './job.ts';

/** `$CANARY` is touched when something of the worker's runs; `$MAIN` is the user's checkout. */
const TRAPS: readonly (readonly [title: string, script: string])[] = [
  ['fsmonitor', `git config core.fsmonitor 'touch $CANARY; false'`],
  ['a clean filter', `git config filter.x.clean 'touch $CANARY; cat'; echo '* filter=x' > .gitattributes`],
  [
    'a filter process',
    `git config filter.x.process 'touch $CANARY; cat'; echo '* filter=x' > .gitattributes`,
  ],
  ['textconv', `git config diff.x.textconv 'touch $CANARY; cat'; echo '* diff=x' > .gitattributes`],
  ['an external diff', `git config diff.external 'touch $CANARY; true'`],
  [
    'hooks',
    `mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch %s\\n' $CANARY > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
  ],
  [
    'an include',
    `printf '[core]\\nfsmonitor="touch %s; false"\\n' $CANARY > inc; git config include.path "$PWD/inc"`,
  ],
  [
    'a worktree configuration',
    `git config extensions.worktreeConfig true; printf '[core]\\nfsmonitor="touch %s; false"\\n' $CANARY > .git/config.worktree`,
  ],
  [
    'a .git that is a file',
    `git init -q .evil; git config -f .evil/.git/config core.fsmonitor 'touch $CANARY; false'; rm -rf .git; echo "gitdir: $PWD/.evil/.git" > .git`,
  ],
  [
    'a common directory elsewhere',
    `git init -q .evil; git config -f .evil/.git/config core.fsmonitor 'touch $CANARY; false'; echo "$PWD/.evil/.git" > .git/commondir`,
  ],
  [
    'a nested repository in the index',
    `git init -q sub; git -C sub -c user.name=w -c user.email=w commit -q --allow-empty -m s
    git -C sub config core.fsmonitor 'touch $CANARY; false'; git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub; git commit -qm link; echo x > sub/x`,
  ],
  [
    'a signing program',
    `printf '#!/bin/sh\\ntouch %s\\n' $CANARY > g.sh; chmod +x g.sh; git config commit.gpgSign true; git config gpg.program "$PWD/g.sh"`,
  ],
];

it.each(TRAPS)('%s in the workspace does not go off when the host collects', async (_title, script) => {
  const checkout = makeRepository({ 'src/f1.txt': 'f\n' });
  const canary = join(makeFolder(), 'canary');
  const job = await startJob(checkout);
  const untouched = everythingOf(job.repository);
  work(job, script.replaceAll('$CANARY', canary));
  work(job, 'echo changed > src/f1.txt');
  rmSync(canary, { force: true });
  const collected = await collectChanged(job);
  expect(listed(collected)).toContain('M src/f1.txt');
  expect(existsSync(canary)).toBe(false);
  expect(everythingOf(job.repository)).toEqual(untouched);
  // The trap is a real one: a host that runs git in the workspace sets it off.
  const naive = 'git status; git diff; git add -A; git commit -m x';
  execFileSync('bash', ['-c', `(${naive}) >/dev/null 2>&1; true`], {
    cwd: job.workspace,
    env: GIT_ENVIRONMENT,
  });
  expect(existsSync(canary)).toBe(true);
});

it('a work tree named in the configuration of the worker is not what is collected', async () => {
  const checkout = makeRepository({ f: 'f\n' });
  const job = await startJob(checkout);
  work(job, `git config core.worktree '${checkout}'; echo w > f`);
  expect(listed(await collectChanged(job))).toEqual(['M f']);
  expect(git(checkout, 'status', '--porcelain')).toBe('');
});

it.each([
  ['is a link', 'mv .git/objects ../o; ln -s ../../o .git/objects'],
  ['is gone', 'rm -rf .git/objects'],
  ['is garbage', 'find .git/objects -type f | while read f; do chmod u+w $f; echo garbage > $f; done'],
])('an object store of the worker that %s holds nothing up', async (_title, script) => {
  const job = await startJob(makeRepository());
  work(job, `echo l > lost; git add lost; git commit -qm x; git rm -q lost; echo w > w; ${script}`);
  const collected = await collectChanged(job);
  expect(listed(collected)).toEqual(['A w']);
  expect(collected.extraRefs).toEqual([]);
});
