import type { Script } from '../../src/engine/scripted/server.ts';
import type { JobId } from '../../src/job/ids.ts';
import { makeWorld, type World } from '../helpers/world.ts';
import { type ClientHome, clientHome } from './client.ts';
import { type Scenario, type Supervisor, startSupervisor } from './endpoint.ts';
import { type Interactive, openInteractive } from './interactive.ts';
import { makePlugin } from './plugin.ts';

/** A person at a terminal: the real client with our plugin, a scripted supervisor, a scripted worker. */
export interface ClientSession {
  readonly world: World;
  readonly supervisor: Supervisor;
  readonly home: ClientHome;
  readonly plugin: string;
  readonly terminal: Interactive;
  /** Another terminal of the same person, in the same repository. */
  another(args?: readonly string[]): Promise<Interactive>;
  /** The job that was started last; waits for it. */
  newestJob(): Promise<JobId>;
}

export interface SessionOptions {
  readonly client: string;
  readonly scenario: Scenario;
  readonly worker: Script;
  /** Permissions are not the matter of most tests. */
  readonly args?: readonly string[];
}

const FREE_HAND = ['--permission-mode', 'bypassPermissions'];

/** Opens it; everything is gone when the test ends. */
export async function openSession(options: SessionOptions): Promise<ClientSession> {
  const world = await makeWorld({ script: options.worker });
  const supervisor = await startSupervisor(options.scenario);
  const home = clientHome({
    client: options.client,
    url: supervisor.url,
    trusted: [world.repository],
    home: world.home,
    env: { CC_DELEGATE_HOME: world.env.CC_DELEGATE_HOME ?? '', CC_DELEGATE_STATE: world.state },
  });
  const plugin = makePlugin();
  const open = (args: readonly string[] = options.args ?? FREE_HAND): Promise<Interactive> =>
    openInteractive(home, { cwd: world.repository, plugin, args });
  const terminal = await open();
  return { world, supervisor, home, plugin, terminal, another: open, newestJob: () => newest(world) };
}

async function newest(world: World): Promise<JobId> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const listed = await world.run(['list', '--json']);
    const [first] = listed.json<{ conversations: { jobs: { id: JobId }[] }[] }>().conversations;
    const id = first?.jobs[0]?.id;
    if (id !== undefined) return id;
    if (performance.now() > deadline) throw new Error('no job was started');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
