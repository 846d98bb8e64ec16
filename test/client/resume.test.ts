import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { needsClient } from './client.ts';
import { bash, type Conversation, type Reply } from './endpoint.ts';
import { openSession } from './session.ts';

const ASKED = /\b([0-9a-z]{6}) asks \(/;

function supervise({ turn, toolResults: [result] }: Conversation): Reply {
  if (result !== undefined) return `heard: ${result.output.slice(0, 300)}`;
  const asking = ASKED.exec(turn)?.[1];
  if (asking !== undefined) return bash(`cc-delegate answer ${asking} 'yes'`);
  if (turn.includes('command-name>/cc-delegate:delegate<')) {
    return bash("cc-delegate start - <<'END_OF_BRIEF'\nTidy.\nEND_OF_BRIEF");
  }
  return 'noted';
}

it('wakes a session that was left and resumed, and not the one beside it', async (test) => {
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const session = await openSession({
    client: needsClient(test),
    scenario: supervise,
    worker: async ({ index }) => {
      if (index > 0) return { text: 'done' };
      await held;
      return { calls: [{ name: 'ask_supervisor', args: { question: 'Go on?' } }] };
    },
  });
  await session.terminal.submit('/delegate tidy');
  await session.terminal.waitForScreen(/heard: delegated/, 60);
  const id = session.supervisor.requests[0]?.session ?? '';
  await session.terminal.close();
  const closedAt = Date.now();
  const beside = await session.another();
  const resumed = await session.another(['--resume', id, '--permission-mode', 'bypassPermissions']);
  // The client takes input before its hook for the start has run; what comes before that is listed there, and wakes nobody.
  const bell = join(session.home.userDirectory, 'bells', id);
  await vi.waitUntil(() => statSync(bell).mtimeMs > closedAt, { timeout: 60_000 });
  goOn();
  await resumed.waitForScreen(/heard: answered/, 60);
  expect(beside.screen()).not.toContain('job news');
  expect(session.supervisor.mainRequests().filter(({ turn }) => ASKED.test(turn))).toHaveLength(1);
});
