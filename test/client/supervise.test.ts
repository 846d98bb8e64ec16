import { expect, it } from 'vitest';
import { write } from '../helpers/world.ts';
import { needsClient, runPrint } from './client.ts';
import { bash, type Conversation, type Reply } from './endpoint.ts';
import { openSession } from './session.ts';

/** A worker that asks once, then writes what it was told. */
const ASKS = [
  { calls: [{ name: 'ask_supervisor', args: { question: 'Keep the v1 API?' } }] },
  { calls: [write('answer.txt', 'kept\n')] },
  { text: 'The v1 API is kept.' },
];

const ASKED = /\b([0-9a-z]{6}) asks \(/;
const ENDED = /\b([0-9a-z]{6}) succeeded/;

/** Delegates when told to, answers when asked, reads the result when a job has ended. */
function supervise({ turn, toolResults: [result] }: Conversation): Reply {
  if (result !== undefined) return `heard: ${result.output.slice(0, 400)}`;
  const asking = ASKED.exec(turn)?.[1];
  if (asking !== undefined) return bash(`cc-delegate answer ${asking} 'keep it'`);
  const ended = ENDED.exec(turn)?.[1];
  if (ended !== undefined) return bash(`cc-delegate result ${ended}`);
  if (turn.includes('command-name>/cc-delegate:delegate<')) {
    return bash("cc-delegate start - <<'END_OF_BRIEF'\nTidy the API.\nEND_OF_BRIEF");
  }
  return 'noted';
}

/** What the session's turns were begun by: everything that is no result of a tool. */
function causes(requests: readonly Conversation[]): string[] {
  return requests
    .filter(({ toolResults }) => toolResults.length === 0)
    .map(({ turn }) => (ASKED.test(turn) ? 'question' : ENDED.test(turn) ? 'end' : 'person'));
}

it('wakes the idle session once for the question and once for the end, with a draft half typed; nobody polls', async (test) => {
  const session = await openSession({ client: needsClient(test), scenario: supervise, worker: ASKS });
  const { terminal, supervisor } = session;
  const other = await session.another();
  await terminal.submit('/delegate tidy the API');
  await terminal.waitForScreen(/heard: delegated/, 60);
  terminal.type('a half-typed dra');
  const screen = await terminal.waitForScreen(/heard: ✓ succeeded/, 90);
  expect(screen).toContain('a half-typed dra');
  expect(causes(supervisor.mainRequests())).toEqual(['person', 'question', 'end']);
  expect(supervisor.mainRequests()).toHaveLength(6);
  expect(other.screen()).not.toContain('heard');
});

it('brings the result in the same run where nobody is woken: a background wait', async (test) => {
  const scenario = ({ turn, toolResults: [result] }: Conversation): Reply => {
    if (result !== undefined) {
      return result.output.includes('delegated')
        ? bash('cc-delegate wait', { run_in_background: true })
        : `heard: ${result.output.slice(0, 300)}`;
    }
    if (turn.includes('<task-notification>')) return bash('cc-delegate result');
    return bash("cc-delegate start - <<'END_OF_BRIEF'\nTidy.\nEND_OF_BRIEF");
  };
  const session = await openSession({
    client: needsClient(test),
    scenario,
    worker: [{ calls: [write('a.txt', 'a\n')] }, { text: 'done' }],
  });
  const answer = await runPrint(session.home, 'delegate this: tidy', {
    cwd: session.world.repository,
    plugin: session.plugin,
  });
  expect(String(answer.lines.at(-1)?.result)).toContain('heard: ✓ succeeded');
  expect(session.supervisor.mainRequests()).toHaveLength(5);
});

it('leaves the session its own endpoint and key, and exports nothing but CC_DELEGATE_ names', async (test) => {
  const scenario = ({ toolResults: [result] }: Conversation): Reply =>
    result === undefined ? bash('env | cut -d= -f1 | sort; echo "at $ANTHROPIC_BASE_URL"') : 'seen';
  const session = await openSession({ client: needsClient(test), scenario, worker: [] });
  const withPlugin = { cwd: session.world.repository, plugin: session.plugin };
  await runPrint(session.home, 'look', withPlugin);
  await runPrint(session.home, 'look', { cwd: session.world.repository });
  const [own, bare] = session.supervisor
    .mainRequests()
    .flatMap(({ toolResults: [result] }) => (result === undefined ? [] : [result.output.split('\n')]));
  const added = own?.filter((name) => !bare?.includes(name)) ?? [];
  expect(
    added.every((name) => /^CC_DELEGATE_/.test(name)),
    added.join(' '),
  ).toBe(true);
  expect(bare?.filter((name) => !own?.includes(name))).toEqual([]);
  expect(own?.at(-1)).toBe(`at ${session.supervisor.url}`);
});

it('offers each skill by the words it is for, and none for an ordinary request', async (test) => {
  const session = await openSession({ client: needsClient(test), scenario: () => 'seen', worker: [] });
  await runPrint(session.home, 'fix this', { cwd: session.world.repository, plugin: session.plugin });
  const [request] = session.supervisor.mainRequests();
  const listed = `${request?.system}\n${request?.everything}`.split('\n');
  const skill = (name: string) =>
    listed.find((line) => line.includes(`cc-delegate:${name}`))?.toLowerCase() ?? '';
  const heavy = skill('delegate-heavy-dev');
  const light = skill('ask-another-model');
  for (const phrase of ['delegate this', 'run this on a cheaper model', 'use openrouter']) {
    expect(heavy, phrase).toContain(phrase);
    expect(light, phrase).not.toContain(`"${phrase}"`);
  }
  for (const phrase of ['ask gemini', 'second opinion']) {
    expect(light, phrase).toContain(phrase);
    expect(heavy, phrase).not.toContain(phrase);
  }
  expect(heavy + light).not.toContain('fix this');
  expect(listed.join('\n')).toContain(
    '(mode ondemand): delegate work to another model only when the user asks',
  );
  // What only the user may type costs the model no context.
  expect(listed.join('\n')).not.toContain('cc-delegate:delegate-apply');
});
