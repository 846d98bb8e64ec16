import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runPaths } from '../../src/store/paths.ts';
import { processesOf } from '../helpers/processes.ts';
import { git, makeRepository } from '../helpers/repository.ts';
import type { World } from '../helpers/world.ts';
import { CLAUDE, claudeWorld, filesWith, look, PRICES, put, shell, toolResults } from './claude-world.ts';

const [HALF, OTHER] = ['sk-test-4Xq', 'planted9Zw7'];
const KEY = `${HALF}${OTHER}`;
const POISON = 'poisonedByTheSupervisor';

/** Of a call as all of them are here; the client has no price for this model. */
const USAGE = { prompt: 1000, output: 50, cacheRead: 600, cacheWrite: 100 };
const CALL_USD =
  (300 * PRICES.input + 50 * PRICES.output + 600 * PRICES.cacheRead + 100 * PRICES.cacheWrite) / 1e6;

/** Looks for the key without naming it. A file, since no command may search as widely. */
const SCAN = [
  `k=${HALF}; k="$k"${OTHER}`,
  'grep -rlsaF "$k" . "$HOME" "$TMPDIR" "$(dirname "$CC_DELEGATE_GATEWAY")" "$(dirname "$BASH_ENV")/.."',
  'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n" > "$TMPDIR/seen"',
  'grep -cF "$k" "$TMPDIR/seen"',
  `p=poisonedBy; grep -cF "\${p}TheSupervisor" "$TMPDIR/seen"; grep -c CC_DELEGATE_JOB "$TMPDIR/seen"`,
  'wc -c < private.key',
].join('\n');

/** The user's own client, its settings and those of the project: none of them is the worker's business. */
function plant(world: World): void {
  const own = join(world.home, '.claude');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'CLAUDE.md'), 'USER-MEMORY\n');
  const hook = { hooks: [{ type: 'command', command: `touch ${join(world.folder, 'hook-ran')}` }] };
  const hooks = { SessionStart: [hook], PreToolUse: [hook] };
  writeFileSync(join(own, 'settings.json'), JSON.stringify({ hooks }));
}

function makeProject(repository: string): void {
  makeRepository(
    {
      'README.md': 'hello\n',
      'CLAUDE.md': 'PROJECT-ORDERS: use tabs.\n',
      '.claude/settings.json': JSON.stringify({ disableAllHooks: true, env: { X: 'PROJECT-ENV' } }),
      'known.txt': 'x\n',
      'private.key': 'one line\n',
      'scan.sh': SCAN,
      'push.sh': 'git "$1" origin main\n',
    },
    repository,
  );
  symlinkSync('/etc/passwd', join(repository, 'AGENTS.md'));
  git(repository, 'add', '-A');
  git(repository, 'commit', '-qm', 'a link');
}

/** What the model was told before its n-th answer, from 0. */
const told = (world: World, index: number): string => world.model.requests[index]?.text ?? '';

describe('a task on the claude engine', () => {
  it('goes from start to result: gate, diff, receipt, exact cost; no key and nothing of the user’s inside', async (test) => {
    const world = await claudeWorld(test, {
      prepare: makeProject,
      config: { neverSend: ['*.key'] },
      script: [
        {
          calls: [put('new.txt', 'x\n'), shell('bash scan.sh'), shell('report_progress "half way"')],
          usage: USAGE,
        },
        { calls: [shell('git push origin main'), shell('sh push.sh push')], usage: USAGE },
        { calls: [shell('ask_supervisor "Which colour?" "red or blue"')], usage: USAGE },
        { calls: [shell('until test -e go; do sleep 0.1; done; rm go; echo went')], usage: USAGE },
        {
          calls: [shell(`echo ${HALF}"${OTHER}" | tee leaked.txt; rm leaked.txt`), look('known.txt')],
          usage: USAGE,
        },
        { text: 'all done', usage: USAGE },
      ],
    });
    plant(world);
    await world.run(['config', 'key', 'set', 'test'], { input: `${KEY}\n` });
    const env = {
      ANTHROPIC_API_KEY: POISON,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:9/${POISON}`,
      ANTHROPIC_CUSTOM_HEADERS: `x-poison: ${POISON}`,
      OPENAI_API_KEY: POISON,
      CLAUDE_CONFIG_DIR: join(world.home, '.claude'),
      CLAUDE_CODE_USE_BEDROCK: '1',
      AWS_SECRET_ACCESS_KEY: POISON,
      NODE_OPTIONS: '--no-warnings',
    };
    const id = await world.start(['--test', 'test -f new.txt && grep -q x known.txt', ...CLAUDE], { env });

    await world.until(id, ({ state }) => state === 'needs_input');
    expect(world.record(id)).toMatchObject({
      engine: 'claude',
      sandbox: 'full',
      question: { kind: 'question', message: 'Which colour?' },
      progress: { step: 3, note: 'half way', filesTouched: 1 },
    });
    const asked = world.model.requests.length;
    await sleep(1000);
    expect(world.model.requests).toHaveLength(asked);
    expect((await world.run(['answer', id, 'blue-it-is'])).exit).toBe(0);
    const { workspace } = await world.until(id, ({ progress }) => progress.step === 4);
    await world.until(id, ({ progress }) => progress.toolCalls === 7);
    expect((await world.run(['steer', id, 'prefer the round one'])).exit).toBe(0);
    await world.until(id, () => world.events(id, 'steer').length === 1);
    writeFileSync(join(workspace, 'go'), '');
    const ended = await world.ended(id);

    expect(ended).toMatchObject({ state: 'succeeded', result: { files: 1, tests: { exitCode: 0 } } });
    expect(ended.result?.flags).not.toContain('no_tool_calls');
    expect(ended.costUsd).toBeCloseTo(6 * CALL_USD, 10);
    expect(ended.usage).toEqual({ input: 1800, output: 300, cacheRead: 3600, cacheWrite: 600 });
    expect(ended.progress).toMatchObject({ step: 6, toolCalls: 9 });
    expect(world.patch(id).toString()).toContain('+++ b/new.txt');
    expect(processesOf(id)).toEqual([]);
    const receipt = JSON.parse(readFileSync(runPaths(world.store(), id).receipt, 'utf8'));
    expect(receipt).toMatchObject({ engine: 'claude', models: ['scripted'], steps: 6, summary: 'all done' });
    expect(world.events(id, 'client')).toMatchObject([{ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }]);
    const { client } = ended;
    expect([receipt.client, world.events(id, 'client')[0]?.version]).toEqual([client, client]);
    expect((await world.run(['result', id])).stdout).toContain(`claude (Claude Code ${client})`);
    for (const reader of ['status', 'result'])
      expect((await world.run([reader, id, '--json'])).json()).toMatchObject({ client });
    expect(existsSync(join(world.folder, 'hook-ran'))).toBe(false);

    // The endpoint gets the key, and is the only one who does.
    const headers = world.model.requests.map((request) => JSON.stringify(request.headers));
    for (const text of headers) expect(text).toContain(KEY);
    const [, scanned] = toolResults(world.model.requests[1]);
    expect(
      scanned,
      'no file; environments and arguments: key, poison, and that they were seen; what is never sent is empty',
    ).toMatch(/^0\n0\n[1-9]\d*\n0$/);
    const texts = world.model.requests.map(({ text }) => text).join('\n');
    for (const word of [KEY, POISON, 'USER-MEMORY', 'PROJECT-ENV', 'root:x:0'])
      expect(texts).not.toContain(word);
    expect(headers.join('\n')).not.toContain(POISON);
    expect(filesWith(KEY, join(world.repository, '.cc-delegate'))).toEqual([]);
    expect(filesWith(KEY, world.state, /\/home\/\.claude\/projects\//)).toEqual([]);

    expect(told(world, 0)).toContain('PROJECT-ORDERS');
    expect(Buffer.byteLength(told(world, 0))).toBeLessThan(16_000);
    expect(world.events(id, 'refused').map(({ family }) => family)).toEqual(['push']);
    expect(told(world, 2).match(/git push is not available here/g)).toHaveLength(2);
    expect(told(world, 3)).toContain('blue-it-is');
    expect(world.events(id, 'steer_delivered')).toHaveLength(1);
    expect(texts).toContain('prefer the round one');
  });
});
