import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GIT_ENVIRONMENT, git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

describe('what a worker may reach', () => {
  it('SEC-10 file tools refuse every way out of the workspace, and links that stay inside work', async () => {
    const world = await makeWorld({
      prepare: (repository) => {
        mkdirSync(join(repository, 'kept'));
        mkdirSync(join(repository, '../outside'));
        symlinkSync('../outside', join(repository, 'tracked-out'));
        symlinkSync('kept', join(repository, 'tracked-in'));
        makeRepository({ 'kept/a.txt': 'a\n' }, repository);
      },
      script: (request) => (request.index === 0 ? { calls: escapes() } : { text: 'done' }),
    });
    const outside = join(world.folder, 'outside');
    const user = join(world.repository, 'kept/a.txt');
    const escapes = () => [
      bash(`ln -s ${outside} linkdir; ln -s ${outside}/new.txt linkfile`),
      write('linkdir/evil.txt', 'x'),
      write('linkfile', 'x'),
      write('tracked-out/evil.txt', 'x'),
      write('../evil.txt', 'x'),
      write(join(outside, 'evil2.txt'), 'x'),
      write('kept/../../evil3.txt', 'x'),
      write('.git/config', 'x'),
      { name: 'read', args: { path: '/etc/passwd' } },
      { name: 'read', args: { path: 'linkdir/secret' } },
      { name: 'edit', args: { path: user, oldText: 'a', newText: 'evil' } },
      // And what must work.
      write('tracked-in/b.txt', 'b\n'),
      write('kept/deep/c.txt', 'c\n'),
    ];
    writeFileSync(join(outside, 'secret'), 'hidden');
    // The state directory is reached through a link, as under a home that is one.
    mkdirSync(join(world.folder, 'real-state'));
    symlinkSync('real-state', join(world.folder, 'link-state'));
    const env = { CC_DELEGATE_STATE: join(world.folder, 'link-state') };
    const id = await world.start([], { env });
    const record = await world.ended(id);
    expect(world.events(id, 'tool_end').map(({ ok }) => ok)).toEqual([
      true,
      ...Array.from({ length: 10 }, () => false),
      true,
      true,
    ]);
    expect(world.model.requests[1]?.text).not.toMatch(/root:|hidden/);
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(user, 'utf8')).toBe('a\n');
    for (const name of ['evil.txt', 'evil3.txt'])
      expect(existsSync(join(record.workspace, '..', name))).toBe(false);
    const paths = git(world.repository, 'diff', '--name-only', record.base, record.branch).split('\n');
    expect(paths).toEqual(['kept/b.txt', 'kept/deep/c.txt', 'linkdir', 'linkfile']);
  });

  it("SEC-14 what it plants in configuration, hooks and ignore rules is its own clone's, and never runs", async () => {
    const world = await makeWorld({
      files: { 'a.txt': 'a\n' },
      script: ({ index }) =>
        index === 0 ? { calls: plant.map((command) => bash(command)) } : { text: 'done' },
    });
    const trap = join(world.folder, 'PWNED');
    const plant = plantsOf(trap);
    const own = (): string[] =>
      ['config', 'hooks', 'info', 'HEAD'].map((name) => digestOf(join(world.repository, '.git', name)));
    const before = own();
    const id = await world.start(['--test', 'true']);
    expect(await world.ended(id)).toMatchObject({ state: 'succeeded', result: { files: 1 } });
    expect(own()).toEqual(before);
    for (const args of [['status'], ['checkout', '-q', '-b', 'z'], ['diff'], ['log', '--oneline']]) {
      git(world.repository, ...args);
    }
    expect((await world.run(['apply', id])).exit).toBe(0);
    expect(existsSync(trap)).toBe(false);
    expect(git(world.repository, 'config', '--get-regexp', '.*')).not.toContain('EVIL');
  });
});

/** Names and contents of a file, or of all the files of a folder. */
function digestOf(path: string): string {
  if (!existsSync(path)) return 'nothing';
  if (!statSync(path).isDirectory()) return readFileSync(path, 'hex');
  return readdirSync(path)
    .sort()
    .map((name) => `${name} ${digestOf(join(path, name))}`)
    .join('\n');
}

/** Commands that make git run something at its next call, or be somebody else, wherever they are given. */
function plantsOf(trap: string): string[] {
  return [
    `git config core.fsmonitor 'touch ${trap}; false'; git config alias.st '!touch ${trap}'; git config user.name EVIL`,
    `h=$(git rev-parse --git-path hooks/post-checkout); mkdir -p "$(dirname "$h")"; printf '#!/bin/sh\\ntouch ${trap}\\n' > "$h"; chmod +x "$h"`,
    'mkdir -p .git/info; echo "*.txt" >> .git/info/exclude; echo "* filter=evil" > .git/info/attributes',
    `git config filter.evil.clean 'touch ${trap}; cat'; git config core.pager 'touch ${trap}'; git config core.sshCommand 'touch ${trap}'`,
    'echo w > work.txt',
  ];
}

it('SEC-14 the same, given in the repository itself, does run at the next call of git', () => {
  const repository = makeRepository();
  const trap = join(makeFolder(), 'PWNED');
  for (const command of plantsOf(trap))
    execFileSync('bash', ['-c', command], { cwd: repository, env: GIT_ENVIRONMENT });
  git(repository, 'status');
  expect(existsSync(trap)).toBe(true);
});
