import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/runner/guard/judge.ts';
import { installShim } from '../../../src/runner/guard/shim.ts';
import { SENTENCES } from '../../../src/runner/guard/verdict.ts';
import { GIT_ENVIRONMENT, git, makeFolder, makeRepository } from '../../helpers/repository.ts';
import { LOOK_ALIKES } from './fixtures/look-alikes.ts';

/** Command lines of git alone, which guard and shim must see the same way. */
const LINES: readonly string[] = [
  ...['push', '-C . push', '--no-pager -c a.b=c push o x', '--git-dir=.git push', 'zz'],
  ...[
    'fetch',
    'pull -q',
    'merge x',
    'merge-base a b',
    'merge --abort',
    'rebase -i',
    'filter-branch',
    'send-pack x',
  ],
  ...[
    'subtree push -P a o x',
    'subtree -P a push o x',
    'subtree split',
    'svn dcommit',
    'svn log',
    'lfs push o',
  ],
  ...['branch', 'branch x', 'branch -D x', 'branch -rd x', 'branch -fx', 'branch -ufoo', 'branch --move a b'],
  ...['branch --sort=push', 'checkout x', 'checkout -B x', 'checkout -bB', 'checkout -qB x', 'switch -C x'],
  ...[
    'switch -cC',
    'switch --force-create x',
    'tag -d x',
    'update-ref a b',
    'symbolic-ref HEAD',
    'symbolic-ref a b',
  ],
  ...[
    'symbolic-ref -d a',
    'symbolic-ref --short HEAD',
    'stash',
    'stash list',
    'stash show',
    'stash -q',
    'stash pop',
  ],
  ...[
    'worktree list',
    'worktree add x',
    'remote',
    'remote -v',
    'remote add o x',
    'remote show o',
    'remote set-url o x',
  ],
  ...[
    'config a.b',
    'config a.b c',
    'config --global a.b',
    'config --global a.b c',
    'config --system --unset a.b',
  ],
  ...[
    'config -e --global',
    'config --global -l',
    'config remote.o.url x',
    'config remote.o.url',
    'config url.x.y z',
  ],
  ...[
    'commit -m push',
    'commit --amend',
    'reset --hard HEAD~1',
    'log --grep push',
    'log -- push',
    'show push',
  ],
  ...[
    '-C ELSE commit -m x',
    '-C ELSE log',
    '-C ELSE tag',
    '-C ELSE tag x',
    '-C ELSE reset',
    '-C ELSE branch',
  ],
  ...[
    '-C OWN merge x',
    '-C OWN stash',
    '-C OWN commit',
    '-C OWN push',
    '--git-dir=ELSE commit',
    '-C sub/.. merge x',
  ],
  ...['checkout -- -B', 'branch -- -D', 'stash -- list', 'fast-import', 'status', '--version', ''],
];

/** A workspace with the shim before a git that does nothing. */
async function makeShop(realGit: string) {
  const folder = realpathSync(makeFolder());
  const work = join(folder, 'work');
  const [own, other] = [join(folder, 'tmp'), join(folder, 'else')];
  for (const path of [work, join(work, 'sub'), own, other]) mkdirSync(path);
  const bashEnv = await installShim(join(folder, 'programs'), realGit, {
    workspace: work,
    checkout: other,
    own: [own],
  });
  const place = {
    workspace: work,
    checkout: other,
    cwd: work,
    home: join(folder, 'home'),
    temp: own,
    own: [own],
  };
  return { work, own, other, place, bashEnv, shim: join(folder, 'programs/git') };
}

describe('the shim', () => {
  it('sees every command line as the text guard does, and needs no program but itself', async () => {
    const shop = await makeShop('/bin/true');
    const lines = LINES.map((line) => line.replace('OWN', shop.own).replace('ELSE', shop.other));
    const script = lines.map((line) => `${shop.shim} ${line} > /dev/null 2>&1; echo $?`).join('\n');
    const output = execFileSync('/bin/sh', ['-c', script], {
      cwd: shop.work,
      env: { PATH: '/nonexistent' },
      encoding: 'utf8',
    });
    const bySh = output.trim().split('\n');
    const byText = lines.map((line) => (judge(`git ${line}`, shop.place).kind === 'refuse' ? '1' : '0'));
    const seen = (verdicts: readonly string[]) => lines.map((line, at) => `${verdicts[at]} git ${line}`);
    expect(seen(bySh)).toEqual(seen(byText));
    expect(bySh.filter((code) => code === '1').length).toBeGreaterThan(35);
  });

  it('says the same sentence, on stderr', async () => {
    const { shim, work } = await makeShop('/bin/true');
    const script = `${shim} stash 2>&1 >/dev/null`;
    const said = execFileSync('/bin/sh', ['-c', `${script}; true`], { cwd: work, encoding: 'utf8' });
    expect(said).toBe(`${SENTENCES.stash}\n`);
  });

  it('asks git what an alias stands for, in whatever way it was made', async () => {
    const { shim, work } = await makeShop('/usr/bin/git');
    git(work, 'init', '-q');
    git(work, 'config', 'alias.up', 'push');
    git(work, 'config', 'alias.deep', 'up -q');
    git(work, 'config', 'alias.sh', '!f() { git push "$@"; }; f');
    git(work, 'config', 'alias.st', 'status --short');
    const codes = ['up o x', 'deep', 'sh o', '-c alias.on=merge on x', '-C . up', 'st'].map(
      (line) => `${shim} ${line} >/dev/null 2>&1; echo $?`,
    );
    const output = execFileSync('/bin/sh', ['-c', codes.join('\n')], { cwd: work, encoding: 'utf8' });
    expect(output.trim().split('\n')).toEqual(['1', '1', '1', '1', '1', '0']);
  });

  it('finds another git when its own is not there, and never itself', async () => {
    const { shim, work } = await makeShop('/nowhere/git');
    const run = (path: string) =>
      execFileSync('/bin/sh', ['-c', `${shim} --version; echo $?`], {
        cwd: work,
        env: { PATH: path },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const folder = shim.replace(/\/git$/, '');
    expect(run(`${folder}:/usr/bin:/bin`)).toMatch(/^git version .*\n0\n$/);
    expect(run(`/nonexistent:${folder}`)).toBe('127\n');
  });

  it('stays out of the way of every look-alike', async () => {
    const { bashEnv, work, own } = await makeShop('/usr/bin/git');
    makeRepository(
      { 'a.txt': 'a\n', 'b.txt': 'b\n', 'docs/git-push.md': 'git push\n', 'README.md': 'git merge\n' },
      work,
    );
    git(work, 'config', 'user.name', 'W');
    git(work, 'config', 'user.email', 'w@example.invalid');
    for (const [index, text] of LOOK_ALIKES.entries()) writeFileSync(join(own, `${index}.sh`), text);
    const driver = `for n in $(seq 0 ${LOOK_ALIKES.length - 1}); do bash -c "$(<${own}/$n.sh)" 2>&1; done`;
    const output = execFileSync('bash', ['-c', driver], {
      cwd: work,
      env: { ...GIT_ENVIRONMENT, HOME: own, TMPDIR: own, BASH_ENV: bashEnv },
      encoding: 'utf8',
    });
    for (const sentence of Object.values(SENTENCES)) expect(output).not.toContain(sentence);
    expect(git(work, 'log', '--format=%s')).toContain('git fetch');
    expect(git(join(own, 'r'), 'tag')).toBe('v1');
  });
});
