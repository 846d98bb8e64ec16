import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { needs } from '../helpers/needs.ts';
import { makeWorld, type World } from '../helpers/world.ts';
import { byTask } from './by-task.ts';
import { CLAUDE, claudeWorld, look, put, shell, toolResults } from './claude-world.ts';

/** A folder beside the repository, with a file that is never sent. */
function library(world: World): string {
  const folder = join(realpathSync(world.folder), 'library');
  mkdirSync(folder);
  writeFileSync(join(folder, 'facts.txt'), 'seven\n');
  writeFileSync(join(folder, 'key.pem'), 'a line of a key\n');
  const file = join(world.home, '.cc-delegate', 'config.yaml');
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...settings, neverSend: ['*.pem'] }), { mode: 0o600 });
  return folder;
}

describe('--add-dir', () => {
  it('is read by tools and commands, never changed, never collected, and kept by the next turn', async (context) => {
    needs(context, 'bwrap');
    let folder = '';
    const world = await makeWorld({
      script: byTask({
        'first task': (turn) => {
          // The user goes on working there.
          if (turn === 1) writeFileSync(join(folder, 'late.pem'), 'a late line of another\n');
          const turns = [
            { calls: [{ name: 'read', args: { path: join(folder, 'facts.txt') } }] },
            {
              calls: [
                {
                  name: 'bash',
                  args: { command: `cat ${folder}/facts.txt ${folder}/*.pem; echo x > ${folder}/new.txt` },
                },
              ],
            },
            { calls: [{ name: 'write', args: { path: join(folder, 'new.txt'), content: 'x' } }] },
            { calls: [{ name: 'write', args: { path: 'here.txt', content: 'x\n' } }] },
            { text: 'done' },
            { calls: [{ name: 'grep', args: { pattern: 'seven', path: folder } }] },
          ];
          return turns[turn] ?? { text: 'done' };
        },
      }),
    });
    folder = library(world);
    // What judges the result does not see it, so what is tried before the work does not either.
    const test = `! test -e ${folder}`;
    const id = await world.start(['first task', '--add-dir', '../library', '--test', test]);
    expect(await world.ended(id)).toMatchObject({
      state: 'succeeded',
      preflight: { verdict: 'passes' },
      result: { files: 1 },
    });
    expect(world.model.requests[0]?.text).toContain(`you may read, and never change: ${folder}`);
    const results = world.model.requests.slice(1, 4).map((request) => request.text);
    expect(results[0]).toContain('seven');
    expect(results[1]).toMatch(/Read-only file system/);
    expect(results.join()).not.toMatch(/a line of a key|a late line/);
    expect(results[2]).toMatch(/new\.txt is outside of the workspace/);
    expect(existsSync(join(folder, 'new.txt'))).toBe(false);
    expect(world.patch(id).toString()).not.toContain('library');

    const before = world.model.requests.length;
    const next = await world.run(['followup', id, 'look again', '--json']);
    expect(await world.ended(next.json<{ id: JobId }>().id)).toMatchObject({ state: 'succeeded' });
    expect(world.model.requests[before + 1]?.text).toContain(`${folder}/facts.txt:1:seven`);
  });

  it('is read and not changed by the client of the claude engine', async (test) => {
    needs(test, 'bwrap');
    let folder = '';
    const world = await claudeWorld(test, {
      script: byTask({
        'do the task': (turn) =>
          [
            { calls: [look(join(folder, 'facts.txt'))] },
            {
              calls: [shell(`cat ${folder}/facts.txt; python3 -c 'print(open("${folder}/key.pem").read())'`)],
            },
            { calls: [shell(`python3 -c 'open("${folder}/new.txt", "w")'`)] },
            { calls: [put(join(folder, 'new.txt'), 'x')] },
            { calls: [look(join(folder, 'key.pem'))] },
            { calls: [put('here.txt', 'x\n')] },
          ][turn] ?? { text: 'done' },
      }),
    });
    folder = library(world);
    const id = await world.start(['do the task', '--add-dir', folder, ...CLAUDE]);
    expect(await world.ended(id)).toMatchObject({ state: 'succeeded', result: { files: 1 } });
    const said = world.model.requests.slice(1).map((request) => toolResults(request).join());
    expect(said[0]).toContain('seven');
    expect(said[1]).toContain('seven');
    expect(said[2]).toMatch(/Read-only file system/);
    expect(said[3]).toMatch(/denied|read-only|permission/i);
    expect(said.join()).not.toContain('a line of a key');
    expect(existsSync(join(folder, 'new.txt'))).toBe(false);
  });

  it('is refused before anything is made', async () => {
    const world = await makeWorld();
    const answer = await world.run(['start', 'task', '--add-dir', world.home]);
    expect(answer).toMatchObject({ exit: 5, stderr: expect.stringContaining('your whole home') });
    const none = await world.run(['ask', 'what?', '--no-tools', '--add-dir', '..']);
    expect(none).toMatchObject({ exit: 2, stderr: expect.stringContaining('--add-dir ..') });
    expect(existsSync(join(world.repository, '.cc-delegate', 'jobs'))).toBe(false);
  });
});
