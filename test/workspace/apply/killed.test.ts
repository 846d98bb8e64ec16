import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyResult, recoverApply } from '../../../src/workspace/apply/act.ts';
import type { ApplyRequest } from '../../../src/workspace/apply/request.ts';
import { undoApply } from '../../../src/workspace/apply/undo.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { bundlePrograms } from '../../store/fixtures/bundle.ts';
import { text } from './random.ts';
import { filesTree, indexTree, makeScene, snapshot } from './scene.ts';

const programs = mkdtempSync(join(tmpdir(), 'cc-delegate-die-'));
beforeAll(() => bundlePrograms(programs, join(import.meta.dirname, 'fixtures/die-at.ts')));
afterAll(() => rmSync(programs, { recursive: true, force: true }));

/** A change of each kind: deleted with its folder, changed, a file for a folder, new in a new folder. */
async function scene() {
  const base = { 'a.txt': text(), 'gone/x': 'x\n', 'swap/y': 'y\n', z: 'z\n' };
  const changes = {
    'a.txt': text(new Map([[3, 'theirs']])),
    'gone/x': null,
    'swap/y': null,
    swap: 'file\n',
    'in/new': 'n\n',
  };
  const made = await makeScene(base, changes);
  writeFileSync(join(made.repository, 'a.txt'), text(new Map([[10, 'mine']])));
  writeFileSync(join(made.repository, 'notes'), 'untracked\n');
  return made;
}

function dieAt(verb: 'apply' | 'undo', step: string, request: ApplyRequest): void {
  const args = [join(programs, 'die-at.mjs'), verb, step, JSON.stringify(request)];
  const env = { ...process.env, TMPDIR: makeFolder() };
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect(child.signal, child.stderr + child.stdout).toBe('SIGKILL');
}

describe('apply killed with kill -9', () => {
  const steps = [
    'recover',
    'save',
    'journal',
    'write 0',
    'write 1',
    'write 2',
    'folders',
    'write 4',
    'commit',
    'index',
  ];
  it.each(steps)(
    'is taken back by the next call when it dies before "%s"',
    { timeout: 240_000 },
    async (step) => {
      const { repository, request } = await scene();
      const before = snapshot(repository);
      dieAt('apply', step, request);
      expect(existsSync(join(repository, '.git/index.lock'))).toBe(true);
      await recoverApply(request);
      expect(snapshot(repository)).toEqual(before);
    },
  );

  it.each(['head', 'finish'])(
    'is finished by the next call when it dies before "%s"',
    { timeout: 240_000 },
    async (step) => {
      const reference = await scene();
      await applyResult(reference.request);
      const { repository, request } = await scene();
      const before = snapshot(repository);
      dieAt('apply', step, request);
      await recoverApply(request);
      expect(indexTree(repository)).toBe(indexTree(reference.repository));
      expect(filesTree(repository)).toBe(filesTree(reference.repository));
      await undoApply(request);
      expect(snapshot(repository)).toEqual(before);
    },
  );

  it('is taken back by the apply of another job', { timeout: 240_000 }, async () => {
    const { repository, request } = await scene();
    const before = snapshot(repository);
    dieAt('apply', 'commit', request);
    const other = { ...request, applied: `${request.applied}-of-another`, result: request.base };
    expect((await applyResult(other)).kind).toBe('already_applied');
    expect(snapshot(repository)).toEqual(before);
  });
});

describe('undo killed with kill -9', () => {
  const steps = ['restore 0', 'restore 2', 'restore 3', 'undo index', 'undo head', 'undo finish'];
  it.each(steps)(
    'is finished by the next call when it dies before "%s"',
    { timeout: 240_000 },
    async (step) => {
      const { repository, request } = await scene();
      const before = snapshot(repository);
      await applyResult(request);
      dieAt('undo', step, request);
      await recoverApply(request);
      expect(snapshot(repository)).toEqual(before);
    },
  );

  it('has done nothing when it dies before its journal', { timeout: 240_000 }, async () => {
    const { repository, request } = await scene();
    const before = snapshot(repository);
    await applyResult(request);
    const after = snapshot(repository);
    dieAt('undo', 'undo journal', request);
    await recoverApply(request);
    expect(snapshot(repository)).toEqual(after);
    await undoApply(request);
    expect(snapshot(repository)).toEqual(before);
  });
});
