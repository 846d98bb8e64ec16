import { expect, it } from 'vitest';
import type { JobPlace } from '../../../src/workspace/sandbox/containment.ts';
import { PROCESS_GROUP } from '../../../src/workspace/sandbox/process-group.ts';
import { runCommand } from '../../../src/workspace/sandbox/run-command.ts';

const NOWHERE: JobPlace = {
  workspace: '/',
  home: '/',
  temp: '/',
  readable: [],
  network: 'none',
  environment: { PATH: '/usr/bin:/bin' },
};

it('ends a command that is aborted while it is being started', async () => {
  const stop = new AbortController();
  const result = await runCommand({
    command: { argv: ['sleep', '60'], cwd: '/', timeoutMs: 3_000, signal: stop.signal },
    containment: {
      ...PROCESS_GROUP.contain(NOWHERE),
      wrap(argv) {
        stop.abort();
        return argv;
      },
    },
    pace: { graceMs: 100, drainMs: 100 },
    clear: async () => undefined,
  });
  expect(result).toMatchObject({ aborted: true, timedOut: false });
});

it('does not take the loss of what holds a command for a failure of the command', async () => {
  const lost = runCommand({
    command: { argv: ['true'], cwd: '/', timeoutMs: 3_000 },
    containment: { ...PROCESS_GROUP.contain(NOWHERE), wrap: (argv) => ['/nonexistent/bwrap', ...argv] },
    pace: { graceMs: 100, drainMs: 100 },
    clear: async () => undefined,
  });
  await expect(lost).rejects.toMatchObject({ explanation: { code: 'cannot_start', exit: 6 } });
});
