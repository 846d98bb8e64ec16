import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { addRules } from '../../src/cli/claude-settings/allow-rules.ts';
import { installStatusLine } from '../../src/cli/claude-settings/status-line.ts';
import { verb } from '../../src/cli/uninstall.ts';
import { type JobRecord, NO_RESULT } from '../../src/job/record.ts';
import { makeBell, ringOnce } from '../../src/notify/bell.ts';
import { DEFAULT_BOUNDS } from '../../src/notify/consent/bounds.ts';
import { writeBounds } from '../../src/notify/consent/bounds-file.ts';
import { mint } from '../../src/notify/consent/grants.ts';
import { deliver, expectEnd } from '../../src/notify/deliver.ts';
import { claim, keptFor } from '../../src/notify/deliveries.ts';
import { adopt } from '../../src/notify/heirs.ts';
import { installLauncher } from '../../src/notify/line/launcher.ts';
import { rememberSettings } from '../../src/notify/policy-drift.ts';
import { clientProcess, saveSession } from '../../src/notify/sessions.ts';
import { PUBLIC_ENDPOINTS } from '../../src/provider/login/endpoints.ts';
import { type LoginFlow, newFlowId, writeFlow } from '../../src/provider/login/flow-file.ts';
import { runtimeCopy } from '../../src/runner/runtime.ts';
import { createJob } from '../../src/store/jobs.ts';
import { identify } from '../../src/store/liveness.ts';
import { openStore } from '../../src/store/open.ts';
import { workspacePaths } from '../../src/store/paths.ts';
import { registerRepository } from '../../src/store/repositories.ts';
import { markJobFolder } from '../../src/workspace/marker.ts';
import { pinBase, reserveBranch } from '../../src/workspace/refs.ts';
import { findRepository } from '../../src/workspace/repository.ts';
import { git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { askingRecord } from '../notify/jobs.ts';
import { refusal } from '../provider/user-error-of.ts';
import { newId, sampleRecord } from '../store/fixtures/records.ts';

const PLUGIN = fileURLToPath(new URL('../..', import.meta.url));
const SETTINGS = '{\n  "model": "opus"\n}\n';

function machine() {
  const home = makeFolder();
  const userDir = join(home, '.cc-delegate');
  const stateDir = join(home, 'state');
  mkdirSync(join(home, '.claude'));
  mkdirSync(userDir);
  mkdirSync(stateDir);
  writeFileSync(join(home, '.claude/settings.json'), SETTINGS);
  const env = { HOME: home, CC_DELEGATE_HOME: userDir, CC_DELEGATE_STATE: stateDir, PATH: process.env.PATH };
  const uninstall = (...args: string[]) =>
    verb.run({
      args,
      cwd: home,
      env,
      json: false,
      program: join(PLUGIN, 'dist'),
      consent: null,
      stdin: process.stdin,
      stderr: () => undefined,
      stdout: () => undefined,
    });
  return {
    home,
    userDir,
    stateDir,
    env,
    uninstall,
    settings: () => readFileSync(join(home, '.claude/settings.json'), 'utf8'),
  };
}

function loginFlow(): LoginFlow {
  return {
    schema: 1,
    id: newFlowId(),
    kind: 'copilot',
    owner: 'work',
    userCode: 'ABCD-1234',
    verificationUri: 'https://github.com/login/device',
    deviceCode: 'secret',
    endpoints: PUBLIC_ENDPOINTS,
    begunAt: 0,
    flow: { state: 'authorized' },
  };
}

/** As much of a built program as is copied for a runner. */
function programFolder(): string {
  const folder = makeFolder();
  mkdirSync(join(folder, 'runner', 'chunks'), { recursive: true });
  for (const name of ['files.mjs', 'inside.mjs', 'runner.mjs', 'chunks/dist-ABCD1234.mjs'])
    writeFileSync(join(folder, 'runner', name), name);
  return folder;
}

/** A repository with a job that has everything a job leaves. */
async function withJob({ userDir, stateDir }: ReturnType<typeof machine>, patch: Partial<JobRecord> = {}) {
  const repo = makeRepository();
  const store = openStore(repo, { create: true });
  const id = newId();
  const base = git(repo, 'rev-parse', 'HEAD');
  const repository = await findRepository(repo);
  await pinBase(repository, id, base);
  await reserveBranch(repository, id, base);
  const { folder, work } = workspacePaths(stateDir, repo, id);
  await markJobFolder(folder, id);
  mkdirSync(work);
  createJob(
    store,
    sampleRecord({
      id,
      repo,
      checkout: repo,
      base,
      branch: `delegate/${id}`,
      state: 'succeeded',
      endedAt: new Date().toISOString(),
      result: { ...NO_RESULT, files: 1 },
      disposition: 'applied',
      ...patch,
    }),
  );
  registerRepository(userDir, { path: repo, stateDir });
  return { repo, id, folder, refs: () => git(repo, 'for-each-ref', '--format=%(refname)') };
}

describe('uninstall', () => {
  it('takes back status line, rules, workspaces, refs and branches, and its own state', async () => {
    const here = machine();
    const { repo, id, folder, refs } = await withJob(here);
    const other = await withJob(here);
    git(repo, 'branch', 'delegate/mine');
    await installStatusLine(here.env, PLUGIN, undefined);
    await addRules(here.env);
    runtimeCopy(programFolder(), here.stateDir);
    mkdirSync(join(here.userDir, 'bells'));
    writeFileSync(join(here.userDir, 'config.yaml'), 'mode: auto\n');
    writeFileSync(join(here.userDir, 'note.txt'), 'the user’s own');
    const before = refs();

    const dry = await here.uninstall('--dry-run');
    expect(dry.text).toContain(`would remove  ${repo}: 1 workspace, 1 branch, refs of 1 job`);
    expect(refs()).toBe(before);
    expect(here.settings()).toContain('cc-delegate');

    const { text, exit } = await here.uninstall();
    expect(exit).toBe(0);
    expect(text).toContain(`removed  ${repo}`);
    expect(refs()).toBe('refs/heads/delegate/mine\nrefs/heads/main');
    expect(other.refs()).toBe('refs/heads/main');
    expect(here.settings()).toBe(SETTINGS);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(here.stateDir)).toBe(false);
    expect(readdirSync(here.userDir).toSorted()).toEqual(['config.yaml', 'note.txt']);
    expect(existsSync(join(repo, '.cc-delegate/jobs', `${id}.json`))).toBe(true);
    expect((await here.uninstall()).text).toContain('nothing to take back');
  });

  it.each([
    [
      'a job that is active',
      { state: 'running', endedAt: null, result: null, runner: identify() },
      'cc-delegate cancel',
    ],
    ['work that was never applied', { disposition: 'none' }, '--force'],
  ] as const)('refuses while there is %s, and changes nothing', async (_name, patch, remedy) => {
    const here = machine();
    const { id, refs, folder } = await withJob(here, patch as Partial<JobRecord>);
    const before = refs();
    const { exit, message } = await refusal(() => here.uninstall());
    expect(exit).toBe(4);
    expect(message).toContain(id.slice(-6));
    expect(message).toContain(remedy);
    expect([refs(), existsSync(folder)]).toEqual([before, true]);
    expect((await here.uninstall('--dry-run')).text).toContain(`but ${id.slice(-6)} is`);
  });

  it('refuses when a job’s branch was worked on, and goes on with --force', async () => {
    const here = machine();
    const { repo, id, refs } = await withJob(here);
    git(repo, 'update-ref', `refs/heads/delegate/${id}`, git(repo, 'commit-tree', '-m', 'x', 'HEAD^{tree}'));
    expect((await refusal(() => here.uninstall())).message).toContain('not as a job left it');
    await here.uninstall('--force');
    expect(refs()).toBe('refs/heads/main');
  });

  it('never removes an active job, whatever is forced', async () => {
    const here = machine();
    await withJob(here, { state: 'running', endedAt: null, result: null, runner: identify() });
    expect((await refusal(() => here.uninstall('--force', '--purge'))).exit).toBe(4);
  });

  it('names what is missing or cannot be used, and goes on', async () => {
    const here = machine();
    const gone = await withJob(here);
    const broken = await withJob(here);
    const good = await withJob(here);
    rmSync(gone.repo, { recursive: true });
    rmSync(join(broken.repo, '.cc-delegate'), { recursive: true });
    writeFileSync(join(broken.repo, '.cc-delegate'), 'a file');
    const { text } = await here.uninstall();
    expect(text).toContain(`skipped  ${gone.repo}`);
    expect(text).toContain(`skipped  ${broken.repo}`);
    expect(good.refs()).toBe('refs/heads/main');
  });

  it('removes settings and keys with --purge alone, but not those of the older product', async () => {
    const here = machine();
    const file = join(here.userDir, 'credentials.json');
    writeFileSync(join(here.userDir, 'config.yaml'), 'mode: auto\n');
    const keys = {
      schema: 1,
      profiles: {},
      providers: { minimax: { key: 'k', provider: 'minimax', host: 'h' } },
      logins: { chatgpt: { kind: 'chatgpt' } },
    };
    writeFileSync(file, JSON.stringify(keys));
    await here.uninstall();
    expect(readdirSync(here.userDir).toSorted()).toEqual(['config.yaml', 'credentials.json']);
    writeFileSync(file, JSON.stringify({ ...keys, OLD_KEY: 'sk-old' }));
    await here.uninstall('--purge');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ OLD_KEY: 'sk-old' });
    writeFileSync(file, JSON.stringify(keys));
    await here.uninstall('--purge');
    expect(existsSync(here.userDir)).toBe(false);
  });

  it('recognises all that the product writes into its own folders, and leaves none of it', async () => {
    const here = machine();
    const { repo } = await withJob(here);
    const { userDir, stateDir } = here;
    const session = 'c2b5a0f4-0000-4000-8000-000000000001';
    const client = clientProcess(process.pid);
    if (client === null) throw new Error('no process');
    const times = { startedAt: new Date().toISOString(), endedAt: null };
    saveSession(userDir, { sessionId: session, ...client, cwd: '/', repo: null, ...times });
    makeBell(userDir, session);
    ringOnce(userDir, session);
    for (const kind of ['typed', 'dialog'] as const)
      mint(userDir, session, { kind, verb: 'x', words: [], argv: [], expiresAt: 0 });
    const record = sampleRecord({ id: newId(), repo, supervisor: { sessionId: session }, state: 'running' });
    expectEnd(userDir, record);
    deliver(userDir, askingRecord(record, 'Why?'));
    for (const kept of keptFor(userDir, [session])) claim(userDir, kept);
    adopt(userDir, session, 'another');
    installLauncher(userDir, PLUGIN);
    writeBounds(userDir, DEFAULT_BOUNDS);
    rememberSettings(userDir, '');
    for (const name of ['plugin-key', 'plugin-key-saved', 'plugin-key-error'])
      writeFileSync(join(userDir, name), 'x');
    for (const name of ['sessions/.x.json.1.1.tmp', 'grants/1/.x.json.1.1.tmp']) {
      mkdirSync(dirname(join(userDir, name)), { recursive: true });
      writeFileSync(join(userDir, name), 'left by a process that was killed');
    }
    writeFlow(here.env, loginFlow());
    mkdirSync(join(userDir, 'logins', 'chatgpt.refresh.lock'));
    const claims = join(stateDir, 'claims', '0123456789abcdef');
    mkdirSync(claims, { recursive: true });
    writeFileSync(join(claims, 'apply-0123456789abcdef.json'), '{}');
    runtimeCopy(programFolder(), stateDir);
    const { text } = await here.uninstall('--force');
    expect(text).toContain(`removed  ${join(userDir, 'sessions')}\n`);
    expect(text).not.toContain('there is something in it');
    expect([existsSync(userDir), existsSync(stateDir)]).toEqual([false, false]);
  });

  it('loses nothing of the user’s when it was told to use a folder with files of theirs', async () => {
    const here = machine();
    await withJob(here);
    installLauncher(here.userDir, PLUGIN);
    const theirs = [
      'bin/deploy',
      'bells/README',
      'bounds.json',
      'catalogue/openrouter.json',
      'deliveries/2026/invoice.json',
      'grants/nsf/typed.json',
      'logins/0123456789abcdef.json',
      'repos/dotfiles/.git/HEAD',
      'repos/0123456789abcdef.json/x',
      'sessions/monday.json',
      'sessions/monday.to',
      'slots/0',
      'claims/insurance/apply-1.json',
      'runtime/1/runner.mjs',
      'bare/project/.cc-delegate/x',
      'bare/project/README',
    ];
    for (const name of theirs) {
      for (const folder of [here.userDir, here.stateDir]) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), '{"the user": "’s own"}');
      }
    }
    const dry = (await here.uninstall('--dry-run')).text;
    const { text } = await here.uninstall('--purge');
    for (const folder of [here.userDir, here.stateDir]) {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      expect(files.filter((name) => statSync(join(folder, name)).isFile()).sort()).toEqual(theirs.toSorted());
    }
    for (const said of [dry, text]) {
      for (const name of ['bin', 'bells', 'deliveries', 'grants', 'repos', 'sessions'])
        expect(said).toContain(`stays    ${join(here.userDir, name)}: there is something in it`);
      expect(said).toMatch(/(would remove|removed) {2}\S+\/repos\/[0-9a-f]{16}\.json\n/);
    }
  });

  it('keeps the records and answers that are in no repository, but with --purge', async () => {
    const here = machine();
    const bare = join(here.stateDir, 'bare/home/u/project.git');
    const stores = [join(here.userDir, 'asks'), bare];
    for (const folder of stores) {
      const id = newId();
      mkdirSync(folder, { recursive: true });
      const ended = {
        state: 'succeeded',
        endedAt: new Date().toISOString(),
        disposition: 'applied',
      } as const;
      const store = openStore(folder, { create: true });
      createJob(store, sampleRecord({ id, repo: folder, checkout: folder, result: NO_RESULT, ...ended }));
      registerRepository(here.userDir, { path: folder, stateDir: here.stateDir });
    }
    const { text } = await here.uninstall();
    for (const folder of stores) {
      expect(text).toContain(`stays    ${folder}/.cc-delegate: records and patches`);
      expect(readdirSync(join(folder, '.cc-delegate/jobs'))).toHaveLength(1);
    }
    const purged = (await here.uninstall('--purge')).text;
    for (const folder of stores) expect(purged).toContain(`removed  ${folder}/.cc-delegate`);
    expect([existsSync(here.userDir), existsSync(here.stateDir)]).toEqual([false, false]);
  });
});
