import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Service } from '../../../src/workspace/sandbox/sandbox.ts';
import { eventually, levelsHere, makeSandbox, type Place, processesWith, textOf } from './helpers.ts';

const ECHO = 'while read -r line; do [ "$line" = end ] && exit 5; echo "got $line"; done; echo bye >&2';

describe.each(await levelsHere())('a service at level %s', (level) => {
  const serve = ({ sandbox, workspace }: Place, script: string): Promise<Service> =>
    sandbox.serve({ argv: ['bash', '-c', script], cwd: workspace });

  async function ask(service: Service, line: string): Promise<string> {
    service.stdin.write(`${line}\n`);
    const [chunk] = await once(service.stdout, 'data');
    return String(chunk);
  }

  it('answers as often as it is asked, and beside commands', async () => {
    const place = await makeSandbox(level);
    const service = await serve(place, ECHO);
    expect(await ask(service, 'one')).toBe('got one\n');
    expect((await place.bash('true')).exitCode).toBe(0);
    expect(await ask(service, 'two')).toBe('got two\n');
    service.stdin.end('end\n');
    expect(await service.ended).toMatchObject({ exitCode: 5, signal: null, notStarted: null });
  });

  it('ends with its stdin, and is heard to the end', async () => {
    const service = await serve(await makeSandbox(level), ECHO);
    service.stdin.end();
    const end = await service.ended;
    expect(end).toMatchObject({ exitCode: 0 });
    expect(textOf(end.stderr)).toBe('bye\n');
  });

  it('is stopped with all that it started, whatever it does against it', async () => {
    const mark = `78.${process.pid}`;
    const service = await serve(
      await makeSandbox(level),
      `trap '' TERM; setsid sleep ${mark} & echo up; while :; do sleep 0.05; done`,
    );
    await once(service.stdout, 'data');
    await service.stop();
    await service.stop();
    expect(processesWith(mark)).toEqual([]);
  });

  it('may tidy up when it is stopped', async () => {
    const place = await makeSandbox(level, { pace: { graceMs: 5_000, drainMs: 300 } });
    const service = await serve(place, 'trap "exit 7" TERM; echo up; while :; do sleep 0.05; done');
    await once(service.stdout, 'data');
    expect(await service.stop()).toMatchObject({ exitCode: 7 });
  });

  it('ends when the sandbox is closed', async () => {
    const place = await makeSandbox(level);
    const mark = `79.${process.pid}`;
    const service = await serve(place, `sleep ${mark}; :`);
    await eventually(
      () => processesWith(mark),
      (seen) => seen.length > 0,
    );
    expect(await place.sandbox.dispose()).toEqual([]);
    await service.ended;
    expect(processesWith(mark)).toEqual([]);
  });

  it('says when there is no such program, and where it may not start', async () => {
    const { sandbox, workspace } = await makeSandbox(level);
    const missing = sandbox.serve({ argv: ['no-such-program'], cwd: workspace });
    if (level === 'none') await expect(missing).rejects.toThrow(/not found/);
    else expect(await (await missing).ended).toMatchObject({ exitCode: 127 });
    await expect(sandbox.serve({ argv: ['true'], cwd: '/' })).rejects.toThrow(/may not start in/);
  });
});
