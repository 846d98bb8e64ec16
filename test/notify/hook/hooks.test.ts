import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_RESULT } from '../../../src/job/record.ts';
import { ringOnce } from '../../../src/notify/bell.ts';
import { lookedAt } from '../../../src/notify/deliver.ts';
import { claim, keptFor } from '../../../src/notify/deliveries.ts';
import { adopt } from '../../../src/notify/heirs.ts';
import { NEWS_HOOKS } from '../../../src/notify/hook/news-hooks.ts';
import { runHook } from '../../../src/notify/hook/run.ts';
import { TOLD_MAX_BYTES } from '../../../src/notify/notice.ts';
import { saveSession } from '../../../src/notify/sessions.ts';
import { identify } from '../../../src/store/liveness.ts';
import { needs } from '../../helpers/needs.ts';
import { git, makeFolder } from '../../helpers/repository.ts';
import { fakeClient, type HookAnswer, Scene, toldJobs } from '../scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

const short = (id: string): string => id.slice(-6);
const EVENTS = [
  'SessionStart',
  'FileChanged',
  'Stop',
  'UserPromptSubmit',
  'SessionEnd',
  'PreToolUse',
  'UserPromptExpansion',
];
const SILENT = { exit: 0, stdout: '', stderr: '' };
const stop = (session: string, more = {}) =>
  scene.hook('Stop', session, { stop_hook_active: false, ...more });
const prompt = (session: string, text = 'go on') => scene.hook('UserPromptSubmit', session, { prompt: text });

interface Entry {
  readonly command: string;
  readonly args: string[];
  readonly if?: string;
}

describe('a session that begins', () => {
  it('is written down, gets a bell to be watched, and exports nothing but names of ours', async () => {
    const client = fakeClient();
    const file = join(makeFolder(), 'env');
    const answer = await scene.hook(
      'SessionStart',
      's1',
      { source: 'startup' },
      { CLAUDE_PID: String(client.pid), CLAUDE_ENV_FILE: file },
    );
    expect(answer.exit).toBe(0);
    expect(JSON.parse(answer.stdout).hookSpecificOutput).toMatchObject({
      hookEventName: 'SessionStart',
      watchPaths: [scene.bell('s1')],
    });
    const session = JSON.parse(readFileSync(join(scene.userDir, 'sessions', 's1.json'), 'utf8'));
    expect(session).toMatchObject({
      sessionId: 's1',
      ...identify(client.pid),
      repo: scene.repo,
      endedAt: null,
    });
    expect(readFileSync(file, 'utf8')).toBe(
      `export CC_DELEGATE_BELL='${scene.bell('s1')}'\nexport CC_DELEGATE_SESSION='s1'\nexport CC_DELEGATE_HOME='${scene.userDir}'\n`,
    );
    await scene.hook('SessionEnd', 's1', { reason: 'other' });
    const after = JSON.parse(readFileSync(join(scene.userDir, 'sessions', 's1.json'), 'utf8'));
    expect(after).toMatchObject({ ...session, endedAt: expect.any(String) });
  });

  it('asks for nothing to be watched when nobody is in front of it', async () => {
    const answer = await scene.hook('SessionStart', 's1', {}, { CLAUDE_CODE_SESSION_ATTENDED: '0' });
    expect(JSON.parse(answer.stdout).hookSpecificOutput).not.toHaveProperty('watchPaths');
  });

  it('hears what runs, what asks and what has ended, its own and the terminals’, until it is looked at', async () => {
    const running = scene.job('s1');
    const asking = scene.ask(scene.job('s1'));
    const ended = scene.save(scene.job(null), { state: 'succeeded', result: NO_RESULT });
    await scene.begin('s2', fakeClient());
    scene.job('s2');
    for (const source of ['startup', 'compact']) {
      const { told, systemMessage } = await scene.begin('s1', fakeClient(), source);
      expect(toldJobs(told).sort()).toEqual([running, asking, ended].map(({ id }) => short(id)).sort());
      expect(systemMessage).toBe(
        'cc-delegate: 1 job running, 1 job asking, 1 job ended, not looked at yet (cc-delegate list)',
      );
    }
    expect(await stop('s1')).toMatchObject(SILENT);
  });

  it('is told what it cannot work without', async () => {
    const bin = join(makeFolder(), 'bin');
    mkdirSync(bin);
    const nothing = await scene.hook('SessionStart', 's1', {}, { PATH: bin });
    expect(nothing).toMatchObject({ exit: 0, systemMessage: expect.stringContaining('Node.js 20.19') });
    for (const event of EVENTS.slice(1)) {
      expect(await scene.hook(event, 's1', {}, { PATH: bin }), event).toMatchObject(SILENT);
    }
    symlinkSync(process.execPath, join(bin, 'node'));
    const noGit = await scene.hook('SessionStart', 's1', {}, { PATH: bin });
    expect(noGit.systemMessage).toBe('cc-delegate cannot work: it needs git on PATH');
    expect((await scene.hook('SessionStart', 's1')).systemMessage).toBe('');
  });
});

describe('the wake-up', () => {
  it('wakes the session that owns the job and no other one, once', async () => {
    await scene.begin('s1', fakeClient());
    await scene.begin('s2', fakeClient());
    const asking = scene.ask(scene.job('s1'));
    expect(await scene.rung('s2')).toMatchObject(SILENT);
    const woken = await scene.rung('s1');
    expect(woken).toMatchObject({ exit: 2, stdout: '' });
    expect(toldJobs(woken.stderr)).toEqual([short(asking.id)]);
    for (const again of [await scene.rung('s1'), await stop('s1'), await prompt('s1')])
      expect(again).toMatchObject(SILENT);
    const ended = scene.save(asking, { state: 'succeeded', result: NO_RESULT });
    expect(toldJobs((await scene.rung('s1')).stderr)).toEqual([short(ended.id)]);
  });

  it('does not tell a question that was answered in the meantime', async () => {
    await scene.begin('s1', fakeClient());
    const asking = scene.ask(scene.job('s1'));
    scene.save(asking, { state: 'running' });
    expect(await scene.rung('s1')).toMatchObject(SILENT);
  });

  it('tells each of 50 notices exactly once, capped, with the bell doubled and hooks side by side', async () => {
    await scene.begin('s1', fakeClient());
    const jobs = Array.from({ length: 50 }, (_, at) =>
      scene.save(scene.job('s1'), {
        state: 'succeeded',
        title: `task ${at} ${'x'.repeat(90)}`,
        result: { ...NO_RESULT, summaryLine: `${'y'.repeat(150)}` },
      }),
    );
    // The second rings are over: from now on only a hook that has more to tell rings.
    await vi.waitUntil(() => scene.rings('s1') === 100, { timeout: 20_000 });
    const answers: HookAnswer[] = [];
    for (let rounds = 0, rings = -1; rings !== scene.rings('s1') && rounds < 30; rounds += 1) {
      rings = scene.rings('s1');
      answers.push(...(await Promise.all([scene.rung('s1'), scene.rung('s1'), scene.rung('s1')])));
    }
    const told = answers.flatMap(({ stderr }) => toldJobs(stderr));
    expect(told.toSorted()).toEqual(jobs.map(({ id }) => short(id)).toSorted());
    for (const { stderr } of answers)
      expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(TOLD_MAX_BYTES + 1);
    expect(answers.some(({ stderr }) => stderr.includes('more: cc-delegate list'))).toBe(true);
  });

  it('that was lost is made good by the end of the turn or by the next prompt, once', async () => {
    await scene.begin('s1', fakeClient());
    const first = scene.ask(scene.job('s1'));
    const stopped = await stop('s1');
    expect(JSON.parse(stopped.stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'Stop', additionalContext: stopped.told },
    });
    expect(toldJobs(stopped.told)).toEqual([short(first.id)]);
    const second = scene.ask(scene.job('s1'));
    const typed = await prompt('s1');
    expect(JSON.parse(typed.stdout).hookSpecificOutput.hookEventName).toBe('UserPromptSubmit');
    expect(toldJobs(typed.told)).toEqual([short(second.id)]);
    for (const again of [await stop('s1'), await prompt('s1'), await scene.rung('s1')])
      expect(again).toMatchObject(SILENT);
  });

  it.each([
    ['the end of a turn that a hook has prolonged', 'Stop', { stop_hook_active: true }],
    ['an end of a turn that says nothing about that', 'Stop', { stop_hook_active: undefined }],
    ['a notice of the client', 'UserPromptSubmit', { prompt: '<task-notification>\n<summary>x' }],
    ['a wake-up', 'UserPromptSubmit', { prompt: 'x\n[SYSTEM NOTIFICATION - NOT USER INPUT]\ny' }],
  ])('leaves %s alone', async (_, event, input) => {
    scene.ask(scene.job('s1'));
    expect(await scene.hook(event, 's1', input)).toMatchObject(SILENT);
    expect(toldJobs((await stop('s1')).told)).toHaveLength(1);
  });

  it('that was killed after it had marked is listed when a session begins, and announced by nobody', async () => {
    const client = fakeClient();
    await scene.begin('s1', client);
    const asking = scene.ask(scene.job('s1'));
    const paused = join(makeFolder(), 'paused');
    const killed = scene.hook(
      'Stop',
      's1',
      { stop_hook_active: false },
      {
        CC_DELEGATE_TEST_PAUSE: `hook:marked=${paused}`,
      },
    );
    await vi.waitUntil(() => existsSync(paused) && readFileSync(paused, 'utf8') !== '', { timeout: 20_000 });
    process.kill(Number(readFileSync(paused, 'utf8')), 'SIGKILL');
    expect((await killed).stdout).toBe('');
    for (const later of [await scene.rung('s1'), await stop('s1'), await prompt('s1')])
      expect(later).toMatchObject(SILENT);
    expect(toldJobs((await scene.begin('s1', client, 'resume')).told)).toEqual([short(asking.id)]);
    expect(await stop('s1')).toMatchObject(SILENT);
  });
});

describe('whose jobs they are', () => {
  it('follows /clear, which gives the same process a new session', async () => {
    const client = fakeClient();
    await scene.begin('s1', client);
    const job = scene.job('s1');
    await scene.hook('SessionEnd', 's1', { reason: 'clear' });
    expect(toldJobs((await scene.begin('s2', client, 'clear')).told)).toEqual([short(job.id)]);
    await scene.begin('s3', client, 'clear');
    scene.ask(job);
    expect(scene.rings('s3')).toBe(1);
    expect(toldJobs((await scene.rung('s3')).stderr)).toEqual([short(job.id)]);
    expect(await scene.rung('s2')).toMatchObject(SILENT);
  });

  it('is told again at a start, and at no other time, while nobody has looked, however often it was taken over', async () => {
    const client = fakeClient();
    await scene.begin('s1', client);
    const first = scene.save(scene.job('s1'), { state: 'succeeded', result: NO_RESULT });
    expect((await scene.rung('s1')).exit).toBe(2);
    for (const [session, id] of [
      ['s2', first.id],
      ['s3', first.id],
    ] as const) {
      const { told } = await scene.begin(session, client, 'clear');
      expect(toldJobs(told)).toEqual([short(id)]);
      expect(await prompt(session)).toMatchObject(SILENT);
      expect(await stop(session)).toMatchObject(SILENT);
    }
    expect(toldJobs((await scene.begin('s3', client, 'compact')).told)).toEqual([short(first.id)]);
    // The oldest of the three gets news: it is heard two sessions on.
    const asking = scene.ask(scene.job('s1'));
    expect(toldJobs((await stop('s3')).told)).toEqual([short(asking.id)]);
  });

  it('stays with a session that goes on in another process', async () => {
    const first = fakeClient();
    await scene.begin('s1', first);
    const job = scene.job('s1');
    await first.end();
    await scene.begin('s2', fakeClient());
    await scene.begin('s1', fakeClient(), 'resume');
    scene.ask(job);
    expect(await scene.rung('s2')).toMatchObject(SILENT);
    expect(toldJobs((await scene.rung('s1')).stderr)).toEqual([short(job.id)]);
  });

  it('goes, when the process has ended, to exactly one of two sessions that begin at once in its repository', async () => {
    const dead = fakeClient();
    await scene.begin('s1', dead);
    const job = scene.job('s1');
    const other = makeFolder();
    await scene.begin('s2', fakeClient());
    expect(scene.deliveries('s2')).toBeNull();
    await dead.end();
    await scene.begin('s3', fakeClient(), 'startup', other);
    const [a, b] = await Promise.all([scene.begin('s4', fakeClient()), scene.begin('s5', fakeClient())]);
    const told = [...toldJobs(a.told), ...toldJobs(b.told)];
    expect(told).toEqual([short(job.id)]);
    expect(scene.deliveries('s3')).toBeNull();
    scene.ask(job);
    const woken = await Promise.all([scene.rung('s4'), scene.rung('s5')]);
    expect(woken.map(({ exit }) => exit).sort()).toEqual([0, 2]);
  });

  it('is found from a linked worktree, and not taken over by a run without a person', async () => {
    const dead = fakeClient();
    await scene.begin('s1', dead);
    const job = scene.job('s1');
    await dead.end();
    await scene.hook(
      'SessionStart',
      's2',
      {},
      { CLAUDE_PID: String(process.pid), CLAUDE_CODE_SESSION_ATTENDED: '0' },
    );
    expect(scene.deliveries('s2')).toBeNull();
    const worktree = join(makeFolder(), 'tree');
    git(scene.repo, 'worktree', 'add', '-q', worktree);
    const { told } = await scene.begin('s3', fakeClient(), 'startup', worktree);
    expect(toldJobs(told)).toEqual([short(job.id)]);
  });

  it('is not told by the number of a process alone: another one may have it now', async () => {
    const client = fakeClient();
    await scene.begin('s1', client);
    scene.job('s1');
    const path = join(scene.userDir, 'sessions', 's1.json');
    saveSession(scene.userDir, { ...JSON.parse(readFileSync(path, 'utf8')), startTime: '1' });
    const { told } = await scene.begin('s2', fakeClient());
    expect(toldJobs(told)).toHaveLength(1);
  });
});

describe('a dead runner', () => {
  it('that nobody noticed is seen to at the next event, and its end is told', async () => {
    await scene.begin('s1', fakeClient());
    const runner = fakeClient();
    const job = scene.job('s1', { runner: identify(runner.pid) });
    await runner.end();
    expect(await stop('s1')).toMatchObject(SILENT);
    await vi.waitUntil(() => scene.rings('s1') > 0, { timeout: 30_000 });
    const { stderr } = await scene.rung('s1');
    expect(stderr).toContain(`[delegate] ${short(job.id)} failed: The runner died`);
  });

  it('of a repository that was removed a day ago leaves nothing to look after', async () => {
    const { id } = scene.job('s1');
    rmSync(scene.repo, { recursive: true });
    expect(await stop('s1')).toMatchObject(SILENT);
    expect(scene.deliveries('s1')).toEqual([`${id}.active`]);
    const yesterday = Date.now() / 1000 - 25 * 3600;
    utimesSync(join(scene.userDir, 'deliveries', 's1', `${id}.active`), yesterday, yesterday);
    expect(await stop('s1')).toMatchObject(SILENT);
    expect(scene.deliveries('s1')).toBeNull();
  });

  it('of a job that was removed leaves nothing to look after', async () => {
    scene.job('s1');
    rmSync(join(scene.repo, '.cc-delegate', 'runs'), { recursive: true });
    rmSync(join(scene.repo, '.cc-delegate', 'jobs'), { recursive: true });
    mkdirSync(join(scene.repo, '.cc-delegate', 'jobs'));
    expect(await stop('s1')).toMatchObject(SILENT);
    expect(scene.deliveries('s1')).toBeNull();
  });
});

describe('every hook', () => {
  it('does nothing in what a worker starts', async () => {
    scene.ask(scene.job('s1'));
    for (const event of EVENTS) {
      const answer = await scene.hook(
        event,
        's1',
        { stop_hook_active: false, prompt: 'x' },
        { CC_DELEGATE_WORKER: '1', PATH: '/nonexistent' },
      );
      expect(answer, event).toMatchObject(SILENT);
    }
    expect(existsSync(join(scene.userDir, 'sessions'))).toBe(false);
    const env = { ...scene.env('s1'), CC_DELEGATE_WORKER: '1' };
    const input = JSON.stringify({ session_id: 's1', stop_hook_active: false });
    expect(runHook(NEWS_HOOKS, 'Stop', input, env, '/')).toEqual(SILENT);
  });

  it.each([
    ['nothing', ''],
    ['half of an object', '{"session_id":"s1","stop_hook'],
    ['a list', '[]'],
    [
      'fields of other kinds',
      JSON.stringify({ session_id: 1, prompt: {}, cwd: [], source: 7, tool_input: 'x' }),
    ],
    [
      'a session that is a path',
      JSON.stringify({ session_id: '../../x', cwd: '/', stop_hook_active: false, prompt: 'x' }),
    ],
    [
      'a folder that is not there',
      JSON.stringify({ session_id: 's1', cwd: '/nonexistent', source: 'startup' }),
    ],
  ])('takes %s from the client without an error and without waking anybody', async (_, text) => {
    scene.job('s1');
    for (const event of EVENTS) {
      const { exit } = await scene.hook(event, 's1', text);
      expect(exit, event).toBe(0);
    }
    expect(readdirSync(join(scene.userDir, '..'))).toEqual(['.cc-delegate']);
  });

  it('is not stopped by what somebody left in its folders', async () => {
    const asking = scene.ask(scene.job('s1'));
    for (const folder of ['sessions', 'bells', 'deliveries'])
      mkdirSync(join(scene.userDir, folder), { recursive: true });
    writeFileSync(join(scene.userDir, 'sessions', 's7.json'), '{"sessionId":"s7"');
    writeFileSync(join(scene.userDir, 'sessions', 's8.json'), '{"sessionId":"s9","pid":-1}');
    writeFileSync(join(scene.userDir, 'sessions', 's1.to'), '../../../etc\n');
    mkdirSync(join(scene.userDir, 'sessions', 's6.json'));
    writeFileSync(join(scene.userDir, 'deliveries', 's5'), 'no folder');
    writeFileSync(join(scene.userDir, 'deliveries', 's1', 'x.active'), '/');
    writeFileSync(join(scene.userDir, 'deliveries', 's1', `${asking.id.slice(0, -6)}zzzzzz.active`), '\0');
    writeFileSync(join(scene.userDir, 'deliveries', 's1', '...adopted'), '');
    const answer = await scene.begin('s1', fakeClient());
    expect(answer.exit).toBe(0);
    expect(toldJobs(answer.told)).toEqual([short(asking.id)]);
    expect(answer.stderr).toBe('');
  });

  it('ends with 0 or 1, never 2, where nothing can be written', async () => {
    rmSync(scene.userDir, { recursive: true, force: true });
    mkdirSync(join(scene.userDir, '..'), { recursive: true });
    writeFileSync(scene.userDir, 'a file where the folder should be');
    for (const event of EVENTS) {
      const { exit } = await scene.hook(event, 's1', {
        source: 'startup',
        stop_hook_active: false,
        prompt: 'x',
      });
      expect([0, 1], event).toContain(exit);
    }
  });

  it('tells the person when it was not built, and is silent otherwise', async () => {
    rmSync(join(scene.plugin, 'dist'));
    for (const event of EVENTS) {
      const answer = await scene.hook(event, 's1');
      expect(answer.exit).toBe(0);
      expect(answer.systemMessage, event).toMatch(event === 'SessionStart' ? /npm run build/ : /^$/);
    }
  });

  it('is named in hooks.json with its own event, and every event there is known', () => {
    const { hooks } = JSON.parse(readFileSync('hooks/hooks.json', 'utf8'));
    expect(Object.keys(hooks).sort()).toEqual([...EVENTS].sort());
    for (const [event, groups] of Object.entries<{ hooks: Entry[] }[]>(hooks)) {
      for (const { command, args, if: only } of groups.flatMap((group) => group.hooks)) {
        // Before a tool: what names us in full, and for any other command a look for a consent that is left.
        const name = event === 'PreToolUse' && only === undefined ? 'AnyCommand' : event;
        // The client puts the folder in.
        expect([command, ...args]).toEqual(['sh', `$\{CLAUDE_PLUGIN_ROOT}/hooks/hook.sh`, name]);
      }
    }
  });

  it('cleans up behind itself: nothing is left of what is done with', async () => {
    await scene.begin('s1', fakeClient());
    const ended = scene.save(scene.job('s1'), { state: 'succeeded', result: NO_RESULT });
    expect((await scene.rung('s1')).exit).toBe(2);
    expect(scene.deliveries('s1')).toHaveLength(2);
    ringOnce(scene.userDir, 's1');
    lookedAt(scene.userDir, ended, 's1');
    expect(readdirSync(join(scene.userDir, 'deliveries'))).toEqual([]);
  });

  it('starts no process while there is nothing to tell, whatever else stands there', (test) => {
    needs(test, 'strace');
    scene.save(scene.job('s1'), { state: 'succeeded', result: NO_RESULT });
    for (const kept of keptFor(scene.userDir, ['s1'])) claim(scene.userDir, kept);
    scene.job('s2');
    // Jobs that went from one session to the next, and were told of; one that is gone, and a circle.
    expect(adopt(scene.userDir, 's1', 's4') && adopt(scene.userDir, 's4', 's5')).toBe(true);
    for (const name of ['s5', 'gone', 'with space'])
      writeFileSync(join(scene.userDir, 'deliveries', 's1', `${name}.adopted`), '');
    for (const event of ['Stop', 'UserPromptSubmit', 'FileChanged']) {
      for (const session of ['s1', 's3', 's5']) {
        const trace = join(makeFolder(), 'trace');
        const script = join(scene.plugin, 'hooks', 'hook.sh');
        const args = ['-f', '-o', trace, '/bin/sh', script, event];
        const { status } = spawnSync('strace', args, { env: scene.env(session), input: '{}' });
        const calls = readFileSync(trace, 'utf8');
        expect(status).toBe(0);
        expect(calls.match(/\b(v?fork|clone3?)\(/g), `${event} ${session}`).toBeNull();
        expect(calls.match(/\bexecve\(/g)).toHaveLength(1);
      }
    }
  });
});
