import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tidyWorkspace } from '../../../src/workspace/leftovers.ts';
import { changedLfsFiles } from '../../../src/workspace/ready/keep-out.ts';
import { parsePointer } from '../../../src/workspace/ready/lfs-pointer.ts';
import { git, makeRepository, writeFiles } from '../../helpers/repository.ts';
import { everythingOf, listed, work } from '../job.ts';
import { changed, collectReady, openGate, startReadyJob } from './ready-job.ts';

function oidOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function pointer(content: string | Buffer): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(content)}\nsize ${content.length}\n`;
}

function store(checkout: string, content: string | Buffer, folder = '.git/lfs', oid = oidOf(content)): void {
  writeFiles(checkout, { [`${folder}/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`]: content });
}

const PICTURE = Buffer.from([0, 1, 2, 255, 10, 13, 10]);

/** Two files with contents here, one without, one that is damaged, one that never was a pointer. */
function lfsRepository(): string {
  const checkout = makeRepository({
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'x.bin': pointer(PICTURE),
    'dir/run.bin': pointer('#!/bin/sh\necho ran\n'),
    'gone.bin': pointer('gone'),
    'damaged.bin': pointer('damaged'),
    'raw.bin': 'raw\n',
    'y.txt': pointer(PICTURE),
  });
  git(checkout, 'update-index', '--chmod=+x', 'dir/run.bin');
  git(checkout, 'commit', '-qm', 'run');
  git(checkout, 'checkout', '-q', '--', '.');
  store(checkout, PICTURE);
  store(checkout, '#!/bin/sh\necho ran\n');
  store(checkout, 'DAMAGED', '.git/lfs', oidOf('damaged'));
  return checkout;
}

it('contents that are here stand in the place of their pointers and are no change; the others are named', async () => {
  const checkout = lfsRepository();
  const job = await startReadyJob(checkout);
  const untouched = everythingOf(job.repository);
  expect(job.ready.report.lfs).toEqual(['dir/run.bin', 'x.bin']);
  expect(job.ready.notices).toEqual([
    '2 files of Git LFS without contents: damaged.bin (its object here is damaged: git lfs fsck), gone.bin (its object is not here: git lfs fetch)',
  ]);
  expect(readFileSync(join(job.workspace, 'x.bin')).equals(PICTURE)).toBe(true);
  expect(readFileSync(join(job.workspace, 'gone.bin'), 'utf8')).toBe(pointer('gone'));
  expect(readFileSync(join(job.workspace, 'y.txt'), 'utf8')).toBe(pointer(PICTURE));
  expect(work(job, './dir/run.bin; git status --porcelain')).toBe('ran\n');
  work(job, 'echo more >> y.txt; git add -A; git commit -qam all');
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['M y.txt']);
  expect(collected.extraRefs).toEqual([]);
  expect(everythingOf(job.repository)).toEqual(untouched);
  const { folder, gate } = await openGate(job, collected);
  expect(readFileSync(join(folder, 'x.bin')).equals(PICTURE)).toBe(true);
  expect(gate.notProvided).toEqual([]);
});

it('an untouched workspace with contents is no result, also after what a set-up changed was put back', async () => {
  const job = await startReadyJob(lfsRepository());
  work(job, 'echo set-up >> y.txt');
  await tidyWorkspace(job.sandbox, job.workspace);
  expect(readFileSync(join(job.workspace, 'x.bin')).equals(PICTURE)).toBe(true);
  expect(await collectReady(job)).toMatchObject({ kind: 'unchanged', notInPatch: [] });
});

it('an object is copied: what the worker writes to it stays in the workspace', async () => {
  const checkout = lfsRepository();
  const job = await startReadyJob(checkout);
  const object = join(checkout, '.git/lfs/objects', oidOf(PICTURE).replace(/^(..)(..)/, '$1/$2/$1$2'));
  expect(lstatSync(join(job.workspace, 'x.bin')).nlink).toBe(1);
  work(job, 'echo evil > x.bin');
  expect(readFileSync(object).equals(PICTURE)).toBe(true);
});

it('a file the worker changed, removed or made executable is in the result, as it is, and told', async () => {
  const job = await startReadyJob(lfsRepository());
  work(job, 'echo new > x.bin; rm dir/run.bin');
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['D dir/run.bin', 'M x.bin']);
  const paths = collected.files.map(({ path }) => path);
  expect(changedLfsFiles(job.ready, paths)).toEqual(['dir/run.bin', 'x.bin']);
  const { folder } = await openGate(job, collected);
  expect(readFileSync(join(folder, 'x.bin'), 'utf8')).toBe('new\n');
});

it('finds contents where lfs.storage says, and those of a submodule', async () => {
  const checkout = lfsRepository();
  store(checkout, 'gone', '.git/elsewhere');
  git(checkout, 'config', 'lfs.storage', 'elsewhere');
  const source = lfsRepository();
  git(checkout, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'lib');
  git(checkout, 'commit', '-qm', 'lib');
  store(checkout, PICTURE, '.git/modules/lib/lfs');
  const job = await startReadyJob(checkout);
  expect(readFileSync(join(job.workspace, 'gone.bin'), 'utf8')).toBe('gone');
  expect(readFileSync(join(job.workspace, 'lib/x.bin')).equals(PICTURE)).toBe(true);
  expect(job.ready.report.lfsMissing.map(({ path }) => path)).toContain('lib/gone.bin');
  expect(work(job, 'git status --porcelain; git -C lib status --porcelain')).toBe('');
  expect(await collectReady(job)).toMatchObject({ kind: 'unchanged', notInPatch: [] });
});

it('no link is taken for an object, and a pointer may lie about its size', async () => {
  const checkout = makeRepository({ '.gitattributes': '*.bin filter=lfs\n', 'x.bin': pointer(PICTURE) });
  const lie = pointer('short').replace('size 5', 'size 6');
  writeFileSync(join(checkout, 'y.bin'), lie);
  git(checkout, 'add', '-A');
  git(checkout, 'commit', '-qm', 'lie');
  store(checkout, 'short');
  const folder = join(checkout, '.git/lfs/objects', oidOf(PICTURE).slice(0, 2), oidOf(PICTURE).slice(2, 4));
  work(
    { ...(await startReadyJob(checkout)) },
    `mkdir -p '${folder}'; ln -s /etc/passwd '${folder}/${oidOf(PICTURE)}'`,
  );
  const { report } = (await startReadyJob(checkout)).ready;
  expect(report.lfs).toEqual([]);
  expect(report.lfsMissing.map(({ path }) => path)).toEqual(['x.bin', 'y.bin']);
  expect(existsSync(join(checkout, '.git/lfs/objects'))).toBe(true);
});

it.each([
  ['a pointer', pointer('abc'), { oid: oidOf('abc'), size: 3 }],
  [
    'one with an extension',
    pointer('abc').replace('oid', 'ext-0-x sha256:1\noid'),
    { oid: oidOf('abc'), size: 3 },
  ],
  ['nothing', '', null],
  ['plain text', 'version 1\n', null],
  ['one without a size', pointer('abc').replace(/size.*\n/, ''), null],
  ['one with a path for an oid', pointer('abc').replace(/sha256:../, 'sha256:..'), null],
  ['a long file that begins as one', `${pointer('abc')}${'x'.repeat(2000)}`, null],
])('%s is read for what it is', (_what, text, expected) => {
  expect(parsePointer(Buffer.from(text))).toEqual(expected);
});
