import { expect, it } from 'vitest';
import { makeRepository } from '../helpers/repository.ts';
import { makeWorld } from '../helpers/world.ts';
import { clientHome, needsClient, runPrint } from './client.ts';
import { startSupervisor } from './endpoint.ts';
import { makePlugin } from './plugin.ts';

it('hands the model the jobs with /delegate-status, so that it has nothing to do but show them', async (test) => {
  const client = needsClient(test);
  const world = await makeWorld({ script: [{ text: 'done' }] });
  const supervisor = await startSupervisor(() => 'shown');
  const elsewhere = makeRepository();
  const home = clientHome({
    client,
    url: supervisor.url,
    trusted: [world.repository, elsewhere],
    home: world.home,
    env: { CC_DELEGATE_HOME: world.env.CC_DELEGATE_HOME ?? '', CC_DELEGATE_STATE: world.state },
  });
  const id = await world.start(['tidy the attic']);
  await world.ended(id);
  const plugin = makePlugin();
  // Without a right to run anything: the command itself names the one call it makes.
  const args = ['--permission-mode', 'default'];
  for (const [name, cwd] of [
    ['/delegate-status', world.repository],
    ['/cc-delegate:delegate-status', world.repository],
    ['/delegate-status', elsewhere],
  ] as const) {
    expect((await runPrint(home, name, { cwd, plugin, args })).exit).toBe(0);
  }
  const turns = supervisor.mainRequests().map(({ turn }) => turn);
  expect(turns).toHaveLength(3);
  expect(turns[0]).toMatch(new RegExp(`${id.slice(-6)} +(succeeded|failed)`));
  expect(turns[1]).toMatch(new RegExp(`${id.slice(-6)} +(succeeded|failed)`));
  expect(turns[2]).not.toContain(id.slice(-6));
});
