import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/job/version.ts';
import { makeRepository } from '../helpers/repository.ts';
import { clientHome, needsClient, runPrint } from './client.ts';
import { bash, type Scenario, startSupervisor } from './endpoint.ts';
import { openInteractive } from './interactive.ts';
import { makePlugin } from './plugin.ts';

/** Runs the program once, and says what it said. */
const SHOWS_VERSION: Scenario = ({ toolResults: [result] }) =>
  result === undefined ? bash('cc-delegate --version') : `it says ${result.output}`;

describe('the real client with a scripted supervisor', () => {
  it('runs our program by its Bash tool in a printed run', async (test) => {
    const client = needsClient(test);
    const supervisor = await startSupervisor(SHOWS_VERSION);
    const repository = makeRepository();
    const home = clientHome({ client, url: supervisor.url, trusted: [repository] });
    const answer = await runPrint(home, 'which version?', { cwd: repository, plugin: makePlugin() });
    expect(answer.lines.at(-1)).toMatchObject({ type: 'result', result: `it says ${VERSION}` });
    expect(answer.exit).toBe(0);
    const [first, second] = supervisor.mainRequests();
    expect(first?.turn).toContain('which version?');
    expect(second?.session).toBe(answer.lines[0]?.session_id);
  });

  it('runs our program in a terminal that is typed into', async (test) => {
    const client = needsClient(test);
    const supervisor = await startSupervisor(SHOWS_VERSION);
    const repository = makeRepository();
    const home = clientHome({ client, url: supervisor.url, trusted: [repository] });
    const terminal = await openInteractive(home, {
      cwd: repository,
      plugin: makePlugin(),
      args: ['--permission-mode', 'bypassPermissions'],
    });
    await terminal.submit('which version?');
    await terminal.waitForScreen(/it says \d/);
    await terminal.close();
    expect(supervisor.mainRequests()).toHaveLength(2);
  });
});
