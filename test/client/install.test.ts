import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JobId, shortId } from '../../src/job/ids.ts';
import { VERSION } from '../../src/job/version.ts';
import { git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { makeWorld, bash as workerBash, write } from '../helpers/world.ts';
import { type ClientHome, clientHome, needsClient, runClient, runPrint } from './client.ts';
import { bash, type Scenario, startSupervisor } from './endpoint.ts';
import { serveGit } from './git-server.ts';
import { copyCheckout, packTarball, serveRegistry, writeMarketplace } from './package.ts';

const NEWER = '99.0.0';

/** Runs one command and says what it said. */
const running =
  (command: string): Scenario =>
  ({ toolResults: [result] }) =>
    result === undefined ? bash(command) : result.output;

/** Waits until the test lets it go on; what it needs for the rest it has to find then. */
const GATED = [
  { calls: [workerBash('until [ -e "$TMPDIR/go" ]; do sleep 0.05; done')] },
  { calls: [write('a.txt', 'right\n')] },
  { text: 'done' },
];

/** `claude plugin …`, which has to succeed. */
async function plugin(home: ClientHome, ...args: string[]): Promise<string> {
  const { exit, stdout, stderr } = await runClient(home, ['plugin', ...args], {
    cwd: home.home,
    seconds: 120,
  });
  if (exit !== 0) throw new Error(`claude plugin ${args.join(' ')} ended with ${exit}: ${stdout}${stderr}`);
  return stdout;
}

function installPath(home: ClientHome): string {
  const file = join(home.home, '.claude', 'plugins', 'installed_plugins.json');
  const { plugins } = JSON.parse(readFileSync(file, 'utf8')) as {
    plugins: Record<string, { installPath: string }[]>;
  };
  return Object.values(plugins)[0]?.[0]?.installPath ?? '';
}

describe('installed by the real client into a clean home', () => {
  it('works from the npm tarball, and a job survives an update that takes the old version away', async (test) => {
    const client = needsClient(test);
    const world = await makeWorld({ script: GATED });
    let scenario = running("cc-delegate start 'do the task' --json");
    const supervisor = await startSupervisor((conversation) => scenario(conversation));
    const trusted = [world.repository];
    const home = clientHome({ client, url: supervisor.url, trusted, home: world.home, env: world.env });
    const packages = makeFolder('cc-delegate-packages-');
    const registry = await serveRegistry({
      [VERSION]: packTarball(packages),
      [NEWER]: packTarball(packages, NEWER),
    });
    writeFileSync(join(home.home, '.npmrc'), `registry=${registry}\nupdate-notifier=false\n`);
    const marketplace = makeFolder('cc-delegate-marketplace-');
    writeMarketplace(marketplace, VERSION);
    await plugin(home, 'marketplace', 'add', marketplace);
    await plugin(home, 'install', 'cc-delegate@from-npm');
    const before = installPath(home);
    expect(readdirSync(before)).not.toContain('node_modules');

    const ask = async (prompt: string): Promise<string> => {
      const answer = await runPrint(home, prompt, { cwd: world.repository });
      return String(answer.lines.at(-1)?.result);
    };
    const { id } = JSON.parse(await ask('start the task')) as { id: JobId };
    await world.until(id, ({ state }) => state === 'running');

    writeMarketplace(marketplace, NEWER);
    await plugin(home, 'update', 'cc-delegate@from-npm');
    const after = installPath(home);
    expect(after).not.toBe(before);
    // The client does this by and by.
    rmSync(before, { recursive: true });
    writeFileSync(join(world.record(id).workspace, '../tmp/go'), '');
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded' });
    expect(world.patch(id).toString()).toContain('+right');

    scenario = running('command -v cc-delegate');
    expect(await ask('/cc-delegate:delegate-status')).toBe(`${after}/bin/cc-delegate`);
    expect(supervisor.mainRequests().at(-2)?.turn).toMatch(new RegExp(`${shortId(id)}.*succeeded`));
  });

  it('works from a git-hosted marketplace without dist: the client installs, the first call builds', async (test) => {
    const client = needsClient(test);
    const supervisor = await startSupervisor(running('cc-delegate --version'));
    const repository = makeRepository();
    const home = clientHome({ client, url: supervisor.url, trusted: [repository] });
    // The machine's own way to its registry, and what it has fetched already.
    const setting = (name: string): string =>
      execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
    const settings = ['registry', 'cache', 'cafile'].map((name) => `${name}=${setting(name)}\n`).join('');
    writeFileSync(join(home.home, '.npmrc'), `${settings}prefer-offline=true\nupdate-notifier=false\n`);
    const served = makeFolder('cc-delegate-served-');
    const checkout = copyCheckout();
    makeRepository({}, checkout);
    git(served, 'clone', '-q', '--bare', checkout, join(served, 'cc-delegate.git'));
    const url = await serveGit(served);

    await plugin(home, 'marketplace', 'add', `${url}/cc-delegate.git`);
    await plugin(home, 'install', 'cc-delegate@cc-delegate-marketplace');
    const installed = installPath(home);
    expect(existsSync(join(installed, 'node_modules', 'esbuild'))).toBe(true);
    expect(existsSync(join(installed, 'dist'))).toBe(false);

    const answer = await runPrint(home, '/cc-delegate:delegate-status', { cwd: repository });
    expect(answer.lines.at(-1)).toMatchObject({ result: VERSION, is_error: false });
    expect(supervisor.mainRequests()[0]?.turn).toContain('no jobs in this repository yet');
    expect(existsSync(join(installed, 'dist', 'cli.js'))).toBe(true);
  });
});
