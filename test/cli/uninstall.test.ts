import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { addRules } from '../../src/cli/claude-settings/allow-rules.ts';
import { installStatusLine } from '../../src/cli/claude-settings/status-line.ts';
import { verb } from '../../src/cli/uninstall.ts';
import { type JobRecord, NO_RESULT } from '../../src/job/record.ts';
import { createJob } from '../../src/store/jobs.ts';
import { identify } from '../../src/store/liveness.ts';
import { openStore } from '../../src/store/open.ts';
import { workspacePaths } from '../../src/store/paths.ts';
import { registerRepository } from '../../src/store/repositories.ts';
import { markJobFolder } from '../../src/workspace/marker.ts';
import { pinBase, reserveBranch } from '../../src/workspace/refs.ts';
import { findRepository } from '../../src/workspace/repository.ts';
import { git, makeFolder, makeRepository } from '../helpers/repository.ts';
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
    mkdirSync(join(here.stateDir, 'runtime/1'), { recursive: true });
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
});
