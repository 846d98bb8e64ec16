import { expect, it } from 'vitest';
import { PROCESS_GROUP } from '../../../src/workspace/sandbox/process-group.ts';
import { runCommand } from '../../../src/workspace/sandbox/run-command.ts';

it('ends a command that is aborted while it is being started', async () => {
  const stop = new AbortController();
  const result = await runCommand({
    command: { argv: ['sleep', '60'], cwd: '/', timeoutMs: 3_000, signal: stop.signal },
    containment: {
      ...PROCESS_GROUP,
      wrap(argv) {
        stop.abort();
        return argv;
      },
    },
    environment: { PATH: '/usr/bin:/bin' },
    pace: { graceMs: 100, drainMs: 100 },
    clear: async () => undefined,
  });
  expect(result).toMatchObject({ aborted: true, timedOut: false });
});
