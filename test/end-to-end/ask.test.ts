import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPaths } from '../../src/store/paths.ts';
import { git } from '../helpers/repository.ts';
import { makeWorld } from '../helpers/world.ts';

interface Asked {
  readonly id: string;
  readonly state: string;
  readonly reason?: string;
  readonly answer?: string;
  readonly structured?: unknown;
  readonly costUsd?: number;
  readonly usage?: Record<string, number>;
  readonly branch: string;
  readonly answerPath?: string;
}

describe('ask', () => {
  it('sees the checkout as it stands, without ignored files, and changes nothing', async () => {
    const read = (path: string) => ({ name: 'read', args: { path } });
    const paths = ['changed.txt', 'staged.txt', 'new.txt', 'gone.txt', 'secret.env'];
    const world = await makeWorld({
      files: { '.gitignore': '*.env\n', 'changed.txt': 'old\n', 'staged.txt': 'old\n', 'gone.txt': 'old\n' },
      script: [
        { calls: [...paths.map(read), { name: 'bash', args: { command: 'touch /tmp/pwned' } }] },
        { text: 'It says NEW.' },
      ],
    });
    const put = (name: string, text: string) => writeFileSync(join(world.repository, name), text);
    put('changed.txt', 'CHANGED\n');
    put('staged.txt', 'STAGED\n');
    git(world.repository, 'add', 'staged.txt');
    put('new.txt', 'NEW\n');
    put('secret.env', 'HIDDEN\n');
    git(world.repository, 'rm', '-q', '--cached', 'gone.txt');
    git(world.repository, 'reset', '-q', '--', 'gone.txt');
    const before = git(world.repository, 'status', '--porcelain');
    const refs = git(world.repository, 'for-each-ref');

    const answer = await world.run(['ask', 'what is new?', '--json']);
    expect(answer.exit, answer.stderr).toBe(0);
    const json = answer.json<Asked>();
    expect(json).toMatchObject({ state: 'succeeded', answer: 'It says NEW.', structured: null, branch: '' });
    expect(json.costUsd).toBeGreaterThan(0);
    expect(json.usage?.output).toBeGreaterThan(0);

    const told = world.model.requests[1]?.text ?? '';
    for (const word of ['CHANGED', 'STAGED', 'NEW']) expect(told).toContain(word);
    expect(told).not.toContain('HIDDEN');
    const tools = world.model.requests[0]?.body.tools as { function: { name: string } }[];
    expect(tools.map((tool) => tool.function.name).sort()).toEqual(['glob', 'grep', 'read']);

    expect(git(world.repository, 'status', '--porcelain')).toBe(before);
    expect(git(world.repository, 'for-each-ref')).toBe(refs);
    const record = world.record(json.id as never);
    expect(record).toMatchObject({
      kind: 'ask',
      branch: '',
      result: { files: 0, summaryLine: 'answered, <$0.01' },
    });
    expect(existsSync(record.workspace)).toBe(false);

    const shown = await world.run(['result', json.id]);
    expect([shown.exit, shown.stdout]).toEqual([0, 'It says NEW.\n']);
    expect((await world.run(['apply', json.id])).exit).toBe(4);
    expect(await world.run(['cleanup', json.id])).toMatchObject({ exit: 0, stderr: '' });
  });

  it('sees one commit and the work on it, though the user commits while it is read', async () => {
    const world = await makeWorld({
      files: { 'a.txt': 'A-OLD\n', 'b.txt': 'B-OLD\n' },
      script: [
        { calls: ['a.txt', 'b.txt'].map((path) => ({ name: 'read', args: { path } })) },
        { text: 'seen' },
      ],
    });
    // A git that lets the user commit their work in the moment in which the clone is made.
    const bin = join(world.folder, 'bin');
    const git0 = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const once = join(world.folder, 'once');
    const commit = `(unset GIT_DIR GIT_WORK_TREE; cd '${world.repository}' && '${git0}' -c user.name=U -c user.email=u@example.invalid commit -qam later) >/dev/null`;
    mkdirSync(bin);
    const lines = ['#!/bin/sh', `case "$*" in *read-tree*) mkdir '${once}' 2>/dev/null && ${commit};; esac`];
    writeFileSync(join(bin, 'git'), [...lines, `exec '${git0}' "$@"`, ''].join('\n'), { mode: 0o755 });
    for (const name of ['a', 'b'])
      writeFileSync(join(world.repository, `${name}.txt`), `${name.toUpperCase()}-NEW\n`);
    const before = git(world.repository, 'rev-parse', 'HEAD');
    const env = { PATH: `${bin}:${world.env.PATH}` };
    const answer = await world.run(['ask', 'what is new?', '--json'], { env });
    expect(answer.exit, answer.stderr).toBe(0);
    const { base } = world.record(answer.json<Asked>().id as never);
    expect(base).not.toBe(before);
    expect(base).toBe(git(world.repository, 'rev-parse', 'HEAD'));
    const told = world.model.requests[1]?.text ?? '';
    for (const word of ['A-NEW', 'B-NEW']) expect(told).toContain(word);
  });

  it('without tools it is one model call with its files whole, and works outside of git', async () => {
    const world = await makeWorld({ script: [{ text: 'a summary' }] });
    const outside = join(world.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'one.md'), `# One\n${'x'.repeat(20_000)}\nEND-OF-ONE\n`);
    writeFileSync(join(outside, 'two.md'), '```js\nTWO\n```\n');
    const args = ['ask', '-', '--file', 'one.md', '--file', 'two.md', '--no-tools'];
    const answer = await world.run(args, { cwd: outside, input: 'sum up $(touch pwned)' });
    expect([answer.exit, answer.stdout], answer.stderr).toEqual([0, 'a summary\n']);
    expect(answer.stderr).toMatch(/scripted · .* · go on: cc-delegate followup/);
    expect(world.model.requests).toHaveLength(1);
    const [request] = world.model.requests;
    expect(request?.body.tools ?? []).toEqual([]);
    const question = JSON.stringify(request?.body.messages);
    for (const word of ['sum up $(touch pwned)', 'END-OF-ONE', 'TWO', '````'])
      expect(question).toContain(word);
    expect(readdirSync(outside).sort()).toEqual(['one.md', 'two.md']);

    // Its record lives in the user's folder, and is found from anywhere.
    const listed = await world.run(['list', '--json'], { cwd: outside });
    const { conversations } = listed.json<{ conversations: { jobs: { id: string }[] }[] }>();
    const id = conversations[0]?.jobs[0]?.id ?? '';
    expect(existsSync(join(world.home, '.cc-delegate/asks/.cc-delegate/jobs', `${id}.json`))).toBe(true);
    expect((await world.run(['result', id])).stdout).toBe('a summary\n');
    expect(await world.run(['cleanup', id], { cwd: outside })).toMatchObject({ exit: 0, stderr: '' });
  });

  it('checks the answer against the schema, asks once more with the error, then fails', async () => {
    const world = await makeWorld({
      script: [
        { text: 'It is 5.' },
        { text: '```json\n{"count": 5}\n```' },
        { text: '{"count": "five"}' },
        { text: '{"count": "5"}' },
      ],
    });
    const schema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    writeFileSync(join(world.repository, 's.json'), JSON.stringify(schema));
    const ask = ['ask', 'how many?', '--no-tools', '--schema', 's.json', '--json'];
    const good = await world.run(ask);
    expect(good.json<Asked>()).toMatchObject({ state: 'succeeded', structured: { count: 5 } });
    expect(world.model.requests[1]?.text).toContain('not one JSON value');
    expect(world.record(good.json<Asked>().id as never).progress.step).toBe(2);
    const bad = await world.run(ask);
    expect(bad.exit).toBe(1);
    expect(bad.json<Asked>()).toMatchObject({
      state: 'failed',
      reason: 'rubric_unsatisfied',
      structured: null,
      answer: '{"count": "5"}',
    });
    expect(world.model.requests).toHaveLength(4);
  });

  it('prints the id and goes on by itself when the answer takes longer; a long one is cut and its file named', async () => {
    const long = 'z'.repeat(70_000);
    const world = await makeWorld({ script: [{ text: long, firstByteMs: 1000 }] });
    const asked = await world.run(['ask', 'tell me all', '--no-tools', '--wait', '0', '--json']);
    expect(asked.exit).toBe(0);
    const { id, state } = asked.json<Asked>();
    expect(['queued', 'preparing', 'running']).toContain(state);
    await world.ended(id as never);
    const result = (await world.run(['result', id, '--json'])).json<Asked>();
    const { answer } = runPaths(world.store(), id as never);
    expect(result.answer).toContain(`[cut; the whole is in ${answer}]`);
    expect(result.answer?.length).toBeLessThan(60_300);
    expect(readFileSync(answer, 'utf8')).toBe(long);
    expect((await world.run(['result', id, '--full'])).stdout).toBe(`${long}\n`);
  });

  it('refuses what cannot be given whole, and a model that names files from outside', async () => {
    const world = await makeWorld();
    writeFileSync(join(world.repository, 'big.txt'), 'w'.repeat(500_000));
    writeFileSync(join(world.repository, 'bytes.bin'), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(world.folder, 'outside.txt'), 'private');
    symlinkSync(join(world.folder, 'outside.txt'), join(world.repository, 'link.txt'));
    writeFileSync(join(world.repository, 'broken.json'), '{');
    const byModel = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' } };
    const ask = (args: string[], options = {}) => world.run(['ask', 'q', '--no-tools', ...args], options);
    expect((await ask(['--file', 'big.txt'])).stderr).toMatch(/too long for .* about 125,\d+ tokens/);
    expect(await ask(['--file', 'bytes.bin'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('UTF-8'),
    });
    expect(await ask(['--file', 'none.txt'])).toMatchObject({ exit: 2 });
    expect(await ask(['--schema', 'broken.json'])).toMatchObject({ exit: 2 });
    expect(await ask(['--file', '../outside.txt'], byModel)).toMatchObject({ exit: 5 });
    expect(await ask(['--file', 'link.txt'], byModel)).toMatchObject({ exit: 5 });
    expect(await ask(['--schema', 'link.txt'], byModel)).toMatchObject({ exit: 5 });
    expect(await ask(['--wait', '0'], { env: { CC_DELEGATE_WORKER: '1' } })).toMatchObject({ exit: 5 });
    expect(world.model.requests).toHaveLength(0);
  });
});
