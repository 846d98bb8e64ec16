import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { needsClient, runPrint } from './client.ts';
import { bash, type Conversation, type Reply } from './endpoint.ts';
import type { Interactive } from './interactive.ts';
import { openSession } from './session.ts';

const SETS_AUTO = 'cc-delegate config mode auto';

/** Runs the command that stands in the person's words, and says what came of it. */
function obey({ turn, toolResults: [result] }: Conversation): Reply {
  // After a no, the refused call and the next words come in one message.
  const command = /RUN<<(.*?)>>/.exec(turn)?.[1];
  if (command === undefined && result !== undefined) return `came: ${result.output.slice(0, 300)}`;
  if (command?.startsWith('WRITE ')) {
    // The client writes no file that its model has not read.
    const file_path = command.slice(6);
    return [
      { tool: 'Read', input: { file_path } },
      { tool: 'Write', input: { file_path, content: 'mode: auto\n' } },
    ];
  }
  return command === undefined ? 'nothing to run' : bash(command);
}

/** Answers the dialog; a key that comes while it is being drawn is lost. */
async function answer(terminal: Interactive, key: string): Promise<void> {
  await vi.waitUntil(
    () => {
      if (!/Do you want/.test(terminal.screen())) return true;
      terminal.keys(key);
      return false;
    },
    { timeout: 30_000, interval: 700 },
  );
}

const settings = (userDirectory: string) => readFileSync(join(userDirectory, 'config.yaml'), 'utf8');

it('changes policy with one yes of the person in the dialog that shows the change, and never without it', async (test) => {
  const session = await openSession({ client: needsClient(test), scenario: obey, worker: [] });
  const { terminal, home } = session;
  const before = settings(home.userDirectory);

  await terminal.submit(`RUN<<${SETS_AUTO}>>`);
  expect(await terminal.waitForScreen(/Do you want to proceed/)).toMatch(
    /asks you: cc-delegate config mode auto/,
  );
  await answer(terminal, '2');
  await terminal.waitForScreen(/Interrupted/);
  expect(settings(home.userDirectory)).toBe(before);

  // What the dialog was for is not granted any more, however the model spells it.
  await terminal.submit('RUN<<env -u CLAUDECODE cc-delegate config mode auto>>');
  await terminal.waitForScreen(/hides that a session calls/);
  expect(settings(home.userDirectory)).toBe(before);

  await terminal.submit(`RUN<<WRITE ${join(home.userDirectory, 'config.yaml')}>>`);
  await terminal.waitForScreen(/asks you: changes your cc-delegate settings[\s\S]*Do you want/);
  await answer(terminal, 'Escape');
  await terminal.waitForScreen(/Rejected write/);
  expect(settings(home.userDirectory)).toBe(before);

  await terminal.submit(`RUN<<${SETS_AUTO}>>`);
  await terminal.waitForScreen(/asks you: cc-delegate config mode auto[\s\S]*Do you want/);
  await answer(terminal, '1');
  await terminal.waitForScreen(/came: mode is auto/);
  expect(settings(home.userDirectory)).toMatch(/mode"?: "?auto/);

  // Once: the next one meets the dialog again.
  await terminal.submit('RUN<<cc-delegate config set budget.perJob 99>>');
  await terminal.waitForScreen(/budget\.perJob 99[\s\S]*Do you want/);
});

it('refuses a run without a person, says what to type, and shows a change past the program at the next start', async (test) => {
  const session = await openSession({ client: needsClient(test), scenario: obey, worker: [] });
  const { home, world, plugin } = session;
  const refused = await runPrint(home, `RUN<<${SETS_AUTO}>>`, {
    cwd: world.repository,
    plugin,
    args: ['--dangerously-skip-permissions'],
  });
  expect(JSON.stringify(refused.lines)).toContain('nobody is here to ask');
  // A spelling the hook cannot read meets the program itself.
  const hidden = await runPrint(home, 'RUN<<X=cc; $X-delegate config mode auto; echo exit $?>>', {
    cwd: world.repository,
    plugin,
    args: ['--dangerously-skip-permissions'],
  });
  expect(String(hidden.lines.at(-1)?.result)).toMatch(/the user may type in a terminal[\s\S]*exit 5/);

  // The program has seen these settings; then somebody edits them.
  expect((await world.run(['config', 'set', 'budget.perJob', '3'])).exit).toBe(0);
  const file = join(home.userDirectory, 'config.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nsupervisorModel: sneaky\n`);
  const terminal = await session.another();
  await terminal.waitForScreen(/changed by other means[\s\S]*supervisorModel: sneaky/);
});

it('takes what the person types as their word, without a dialog', async (test) => {
  const scenario = ({ turn, toolResults: [result] }: Conversation): Reply => {
    if (result !== undefined) return `came: ${result.output.slice(0, 300)}`;
    const words = /<command-args>(.*?)<\/command-args>/.exec(turn)?.[1];
    return words === undefined ? 'hello' : bash(`cc-delegate config ${words}`);
  };
  const session = await openSession({
    client: needsClient(test),
    scenario,
    worker: [],
    args: ['--model', 'claude-haiku-4-5'],
  });
  await session.terminal.submit('/delegate-setup mode auto');
  await session.terminal.waitForScreen(/came: mode is auto/);
  expect(settings(session.home.userDirectory)).toMatch(/mode"?: "?auto/);
});
