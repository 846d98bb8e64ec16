import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openGuard } from '../../../src/runner/guard/open.ts';
import { SENTENCES } from '../../../src/runner/guard/verdict.ts';
import { bashTool } from '../../../src/runner/tools/bash.ts';
import { openSandbox } from '../../../src/workspace/sandbox/open.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { freshJobId } from '../../workspace/sandbox/helpers.ts';

async function makeTool() {
  const folder = makeFolder();
  const places = {
    folder,
    work: join(folder, 'work'),
    home: join(folder, 'home'),
    temp: join(folder, 'tmp'),
  };
  for (const path of [places.work, places.home, places.temp]) mkdirSync(path);
  const refused: string[] = [];
  const log: string[] = [];
  const guard = await openGuard({
    places,
    checkout: join(folder, 'checkout'),
    level: 'none',
    path: process.env.PATH,
    refused: ({ family }) => refused.push(family),
  });
  const { work: workspace, home, temp } = places;
  const jobId = freshJobId();
  const sandbox = await openSandbox({ jobId, workspace, home, temp, levelWanted: 'none', passEnv: {} });
  onTestFinished(async () => {
    await sandbox.dispose();
  });
  const tool = bashTool({
    sandbox,
    cwd: places.work,
    timeoutSeconds: 20,
    longestSeconds: 20,
    log: (chunk) => log.push(Buffer.from(chunk).toString()),
    guard,
  });
  const run = (command: string) =>
    tool.run({ command }, { signal: new AbortController().signal, callId: '1' });
  return { run, refused, log, work: places.work };
}

describe("the worker's shell", () => {
  it('answers a refused command with the sentence, logs it, and runs nothing of it', async () => {
    const { run, refused, log, work } = await makeTool();
    expect(await run('touch ran; git push')).toEqual({
      ok: false,
      text: SENTENCES.push,
      summary: 'touch ran; git push → refused',
    });
    expect(refused).toEqual(['push']);
    expect(log.join('')).toBe(`$ touch ran; git push\n[refused] ${SENTENCES.push}\n`);
    expect(existsSync(join(work, 'ran'))).toBe(false);
  });

  it('has the shim first on its PATH, for what the text does not tell', async () => {
    const { run, refused } = await makeTool();
    const result = await run(`awk 'BEGIN { exit system("git push") }'`);
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining(SENTENCES.push) });
    expect(refused).toEqual([]);
    expect(await run('git --version')).toMatchObject({ ok: true });
  });
});
