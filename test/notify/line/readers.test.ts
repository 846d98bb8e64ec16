import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeJobId } from '../../../src/job/ids.ts';
import { type JobRecord, NO_PROGRESS, NO_RESULT, type RunnerIdentity } from '../../../src/job/record.ts';
import { bakeLine, removeLine, sweepLines } from '../../../src/notify/line/bake.ts';
import { columnsOf } from '../../../src/notify/line/columns.ts';
import { findLines } from '../../../src/notify/line/place.ts';
import { columnsFrom, currentLine } from '../../../src/notify/line/read.ts';
import { identify } from '../../../src/store/liveness.ts';
import { openStore } from '../../../src/store/open.ts';
import { needs } from '../../helpers/needs.ts';
import { git, makeFolder, makeRepository } from '../../helpers/repository.ts';
import { sampleRecord } from '../../store/fixtures/records.ts';

const SCRIPT = fileURLToPath(new URL('../../../bin/cc-delegate-statusline', import.meta.url));
/** The shells of this machine, as argv. */
const SHELLS = ['sh', 'dash', 'bash --posix', 'busybox sh', 'ksh', 'zsh'].flatMap((shell) => {
  const [name = '', ...args] = shell.split(' ');
  const found = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' });
  return found.status === 0 ? [[found.stdout.trim(), ...args]] : [];
});
const SESSION = '11111111-2222-3333-4444-555555555555';
const OTHER_SESSION = '99999999-2222-3333-4444-555555555555';

interface Caller {
  readonly cwd: string;
  readonly session?: string;
  readonly columns?: string;
  readonly env?: Record<string, string>;
}

/** With no program to be found: whatever it would start, it cannot. */
function byShell(
  [program = 'sh', ...args]: readonly string[],
  { cwd, session, columns, env }: Caller,
  script = SCRIPT,
): string {
  const answer = spawnSync(program, [...args, script], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/nonexistent',
      HOME: '/nonexistent',
      CLAUDE_CODE_SESSION_ID: session ?? '',
      ...(columns !== undefined && { COLUMNS: columns }),
      ...env,
    },
  });
  expect(answer.stderr).toBe('');
  expect(answer.status).toBe(0);
  return answer.stdout;
}

function byNode({ cwd, session, columns, env }: Caller): string {
  const lines = findLines(cwd, { HOME: '/nonexistent', ...env });
  if (lines === null) return '';
  const line = currentLine({ lines, sessionId: session ?? null, columns: columnsFrom(columns) });
  return line === '' ? '' : `${line}\n`;
}

/** What both say, in every shell there is. */
function line(caller: Caller): string {
  const expected = byNode(caller);
  for (const shell of SHELLS) expect(byShell(shell, caller), shell.join(' ')).toBe(expected);
  return expected;
}

let number = 0;

/** A repository with a store, and a way to bake lines of jobs that are saved now. */
function world(repo = makeRepository()) {
  openStore(repo, { create: true });
  const now = new Date().toISOString();
  return {
    repo,
    lines: join(repo, '.cc-delegate/lines'),
    bake(tail: string, patch: Partial<JobRecord> = {}): JobRecord {
      number += 1;
      const record = sampleRecord({
        id: `${makeJobId(Date.now() + number, 0).slice(0, -6)}${tail}` as JobRecord['id'],
        repo,
        model: 'qwen3-coder',
        state: 'running',
        runner: identify(),
        supervisor: { sessionId: SESSION },
        updatedAt: now,
        ...patch,
      });
      bakeLine(record);
      return record;
    },
  };
}

const asking = (message: string): Partial<JobRecord> => ({
  state: 'needs_input',
  question: {
    id: 'q1',
    kind: 'question',
    message,
    askedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
  },
});
const succeeded: Partial<JobRecord> = {
  state: 'succeeded',
  endedAt: new Date().toISOString(),
  result: { ...NO_RESULT, files: 2 },
};
const dead: RunnerIdentity = { ...identify(), startTime: '1' };
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

describe('the status line, read by a shell and by node alike', () => {
  it('shows a running job', () => {
    const { repo, bake } = world();
    bake('ab12cd', { progress: { ...NO_PROGRESS, step: 7, note: 'editing lib/a.ts' } });
    expect(line({ cwd: repo })).toBe('⏳ delegate t_…ab12cd · qwen3-coder · step 7 · editing lib/a.ts\n');
    expect(line({ cwd: repo, columns: '40' })).toBe('⏳ delegate t_…ab12cd · step 7\n');
  });

  it('shows a question before work in progress, and that before what ended, and counts the others', () => {
    const { repo, bake } = world();
    bake('000001', asking('keep it?'));
    bake('000002');
    bake('000003', succeeded);
    expect(line({ cwd: repo, session: SESSION })).toBe(
      '⚠ delegate t_…000001 · asks: keep it? · → /delegate-answer +1\n',
    );
  });

  it('shows the own session first, but no ended job of it before a question of another', () => {
    const { repo, bake } = world();
    bake('000001', { supervisor: { sessionId: OTHER_SESSION }, ...asking('theirs?') });
    bake('000002', { ...succeeded });
    expect(line({ cwd: repo, session: SESSION })).toContain('000001');
    bake('000003');
    expect(line({ cwd: repo, session: SESSION })).toMatch(/000003.* \+1\n$/);
    expect(line({ cwd: repo, session: OTHER_SESSION })).toMatch(/000001.* \+1\n$/);
  });

  it('shows a dead runner at the first look, and does not count it', () => {
    const { repo, bake } = world();
    bake('000001', { runner: dead });
    expect(line({ cwd: repo })).toBe('✗ delegate t_…000001 · runner died · cc-delegate status 000001\n');
    bake('000002');
    expect(line({ cwd: repo })).toBe('✗ delegate t_…000001 · runner died · cc-delegate status 000001 +1\n');
    const gone = spawnSync('true').pid;
    bake('000003', { runner: { ...identify(), pid: gone } });
    expect(line({ cwd: repo })).toContain('000003 · runner died');
  });

  it('knows a runner by its log as well, whatever stands for its start', () => {
    const { repo, bake } = world();
    const { id } = bake('000001', { runner: { ...dead } });
    expect(byShell(['/bin/sh'], { cwd: repo })).toContain('runner died');
    const log = join(repo, '.cc-delegate/runs', id, 'runner.log');
    mkdirSync(join(log, '..'), { recursive: true });
    const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', openSync(log, 'a')] });
    onTestFinished(() => void child.kill());
    bake('000002', {});
    bakeLine({
      ...sampleRecord(),
      id,
      repo,
      state: 'running',
      updatedAt: ago(0),
      rev: 9,
      runner: { ...dead, pid: child.pid ?? 0 },
    });
    expect(byShell(['/bin/sh'], { cwd: repo })).toMatch(/000002 .* \+1\n/);
  });

  it.each([
    ['a running job not saved for 150 s', { updatedAt: ago(151) }],
    ['a job that succeeded 30 s ago', { ...succeeded, endedAt: ago(31) }],
    ['a job cancelled 20 s ago', { state: 'cancelled', endedAt: ago(21) }],
    ['a failed job 25 hours ago', { state: 'failed', reason: 'wall', endedAt: ago(90_000) }],
    ['an applied result', { ...succeeded, disposition: 'applied' }],
    ['a discarded result', { ...succeeded, disposition: 'discarded' }],
  ] as const)('does not show %s', (_name, patch) => {
    const { repo, bake, lines } = world();
    bake('000001', patch as Partial<JobRecord>);
    expect(line({ cwd: repo })).toBe('');
    expect(readdirOr(lines)).toBeNull();
  });

  it.each([
    ['expired', (text: string) => text.replace(/^(1 \d) \d+/, '$1 1')],
    ['of another boot', (text: string) => text.replace(/^(1 \d \d+) \S+/, '$1 00000000')],
    ['of another format', (text: string) => text.replace(/^1/, '2')],
    ['empty', () => ''],
    ['torn', (text: string) => text.slice(0, 60)],
    ['with no number to expire', (text: string) => text.replace(/^(1 \d) \d+/, '$1 x$(touch pwned)')],
    ['with an escape sequence', (text: string) => text.replaceAll('qwen3', '\u001b]0;pwned\u0007')],
  ])('does not show a line that is %s', (_name, change) => {
    const { repo, bake, lines } = world();
    const { id } = bake('000001');
    const path = join(lines, id);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    expect(line({ cwd: repo })).toBe('');
  });

  it.each(['40', '20', undefined, 'abc', '0', '17', '5', '99999999999999999999'])(
    'takes at most the columns there are: %s (UI-01)',
    (columns) => {
      const { repo, bake } = world();
      const long = '表 very long title '.repeat(30);
      for (const tail of ['000001', '000002', '000003']) {
        bake(tail, { model: long, progress: { ...NO_PROGRESS, step: 123_456, note: long } });
      }
      const shown = line({ cwd: repo, ...(columns !== undefined && { columns }) });
      const width = columns !== undefined && /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : 80;
      expect(columnsOf(shown.slice(0, -1))).toBeLessThanOrEqual(width);
      expect(shown).toMatch(/^[^\n]+\n$/);
      if (width >= 20) expect(shown).toContain('000003');
    },
  );

  it('is found from below the repository, and from a linked worktree', () => {
    const { repo, bake } = world(
      makeRepository({ 'a/b/c.txt': 'x' }, newFolder(makeFolder(), 'with a space')),
    );
    const worktree = join(makeFolder(), 'linked tree');
    git(repo, 'worktree', 'add', '-q', '-b', 'linked', worktree);
    bake('000001');
    expect(line({ cwd: join(repo, 'a/b') })).toContain('000001');
    expect(line({ cwd: worktree })).toContain('000001');
    const relative = `gitdir: ../../${join(repo, '.git/worktrees').split('/').slice(-4).join('/')}/linked tree\n`;
    writeFileSync(join(worktree, '.git'), relative);
    expect(line({ cwd: worktree })).toContain('000001');
  });

  it('shows nothing of another repository, of none, or through a link (UI-04)', () => {
    const { repo, bake, lines } = world();
    bake('000001');
    const other = world();
    expect(line({ cwd: other.repo })).toBe('');
    expect(line({ cwd: makeFolder() })).toBe('');
    const inner = makeRepository({}, newFolder(repo, 'inner'));
    expect(line({ cwd: inner })).toBe('');
    symlinkSync(lines, join(other.repo, '.cc-delegate/lines'));
    expect(line({ cwd: other.repo })).toBe('');
  });

  it('takes the project of the session, where that is known, over the folder it is called in', () => {
    const { repo, bake } = world();
    bake('000001');
    const there = { cwd: makeFolder(), env: { CLAUDE_PROJECT_DIR: repo } };
    expect(byShell(['/bin/sh'], there)).toContain('000001');
    expect(byShell(['/bin/sh'], { ...there, env: { CLAUDE_PROJECT_DIR: 'relative/path' } })).toBe('');
    expect(
      byShell(['/bin/sh'], { ...there, env: { CLAUDE_PROJECT_DIR: repo, CC_DELEGATE_WORKER: '1' } }),
    ).toBe('');
  });

  it('works without /proc: a file made now is the clock', () => {
    const { repo, bake, lines } = world();
    const { id } = bake('000001');
    const path = join(lines, id);
    const text = readFileSync(path, 'utf8').replace(/^(1 2) \d+ \S+/, '$1 1 -');
    const script = join(makeFolder(), 'statusline');
    writeFileSync(script, readFileSync(SCRIPT, 'utf8').replaceAll('/proc/', '/nonexistent/'));
    for (const shell of SHELLS) {
      writeFileSync(path, text);
      for (const [offset, shown] of [
        [60, '⏳ delegate t_…000001 · qwen3-coder · step 0\n'],
        [-60, ''],
      ] as const) {
        utimesSync(path, Date.now() / 1000 + offset, Date.now() / 1000 + offset);
        expect(byShell(shell, { cwd: repo }, script), shell.join(' ')).toBe(shown);
      }
    }
  });

  it('starts no process, reads no payload, and touches nothing', (test) => {
    needs(test, 'strace');
    const { repo, bake, lines } = world();
    for (const tail of ['000001', '000002', '000003']) bake(tail, asking('keep it?'));
    const trace = join(makeFolder(), 'trace');
    const before = readdirSync(lines);
    const args = ['-f', '-o', trace, 'sh', SCRIPT];
    const answer = spawnSync('strace', args, {
      cwd: repo,
      stdio: ['pipe', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    expect(answer.stdout).toContain('+2');
    const calls = readFileSync(trace, 'utf8');
    expect(calls.match(/\b(v?fork|clone3?)\(/g)).toBeNull();
    expect(calls.match(/\bexecve\(/g)).toHaveLength(1);
    const payload = join(makeFolder(), 'payload');
    writeFileSync(payload, '{"cwd":"/"}\n');
    const after = spawnSync('sh', ['-c', `{ sh "$0" >/dev/null; cat; } <"$1"`, SCRIPT, payload], {
      cwd: repo,
    });
    expect(after.stdout.toString()).toBe('{"cwd":"/"}\n');
    expect(calls).not.toMatch(/openat\((?!.*\/dev\/null).*O_(CREAT|WRONLY|RDWR)/);
    expect(readdirSync(lines)).toEqual(before);
    const text = readFileSync(SCRIPT, 'utf8').replace(/^\s*#.*$/gm, '');
    expect(text).not.toMatch(/\$\((?!\()|`|[^&>]&$/m);
  });

  it('does not wait for a stdin that stays open, and is quick among 500 old jobs', () => {
    const { repo, bake, lines } = world();
    const { id } = bake('000001');
    const text = readFileSync(join(lines, id), 'utf8').replace(/^(1 \d) \d+/, '$1 1');
    for (let at = 0; at < 500; at += 1)
      writeFileSync(join(lines, `t_m3k9x2f1_${String(at).padStart(6, '0')}`), text);
    const answer = spawnSync('sh', [SCRIPT], { cwd: repo, timeout: 5000, encoding: 'utf8' });
    expect(answer.error).toBeUndefined();
    expect(answer.stdout).toContain('000001');
  });
});

describe('the files of lines', () => {
  it('are written only when something changed that can be seen, or their time runs out', () => {
    const { lines, bake } = world();
    const record = bake('000001');
    const path = join(lines, record.id);
    const { ino } = statSync(path);
    bakeLine({ ...record, costUsd: 3, updatedAt: new Date(Date.now() + 1000).toISOString() });
    expect(statSync(path).ino).toBe(ino);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/^(1 \d) (\d+)/, (_, head, at) => `${head} ${Number(at) - 31}`),
    );
    bakeLine(record);
    expect(statSync(path).ino).not.toBe(ino);
  });

  it('are not put back by one that knows less', () => {
    const { lines, bake, repo } = world();
    const record = bake('000001', { rev: 5, progress: { ...NO_PROGRESS, step: 9 } });
    bakeLine({ ...record, rev: 4, state: 'queued' });
    expect(line({ cwd: repo })).toContain('step 9');
    removeLine(repo, record.id);
    expect(readdirSync(lines)).toEqual([]);
  });

  it('go when they have expired, by the next job that ends or begins', () => {
    const { lines, bake, repo } = world();
    const { id } = bake('000001');
    const expire = (): void => {
      const path = join(lines, id);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^(1 \d) \d+/, '$1 1'));
    };
    expire();
    writeFileSync(join(lines, 'not-ours'), 'x');
    sweepLines(repo);
    expect(readdirSync(lines)).toEqual(['not-ours']);
    const kept = bake('000002', succeeded);
    expect(readdirSync(lines).toSorted()).toEqual(['not-ours', kept.id]);
  });

  it('are never a reason to fail, nor to make a store anew', () => {
    const { repo, bake } = world();
    rmSync(join(repo, '.cc-delegate'), { recursive: true });
    bake('000001');
    expect(readdirOr(join(repo, '.cc-delegate'))).toBeNull();
    const blocked = world();
    writeFileSync(blocked.lines, 'a file');
    blocked.bake('000001');
    expect(line({ cwd: blocked.repo })).toBe('');
  });
});

function readdirOr(folder: string): string[] | null {
  return existsSync(folder) ? readdirSync(folder) : null;
}

function newFolder(above: string, name: string): string {
  const path = join(above, name);
  mkdirSync(path);
  return path;
}
