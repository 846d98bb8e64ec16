import { expect, it } from 'vitest';
import { parseStatus } from '../../../src/workspace/ready/checkout-status.ts';
import { sortFolders } from '../../../src/workspace/ready/dependency-kinds.ts';
import { excludeRule } from '../../../src/workspace/ready/exclude-rules.ts';
import { leadsOut, type Measured } from '../../../src/workspace/ready/measure.ts';
import { planDependencies } from '../../../src/workspace/ready/plan-dependencies.ts';
import { type ReadyReport, reportLines, shortReport } from '../../../src/workspace/ready/report.ts';

function folder(
  path: string,
  files: number,
  more: Partial<Extract<Measured, { kind: 'folder' }>> = {},
): Measured {
  return { kind: 'folder', path, files, bytes: files * 10, over: false, escapes: [], ...more };
}

const LIMITS = { files: 100, bytes: 1000 };
const MANY = Array.from({ length: 101 }, (_, at) => ({ path: `node_modules/${at}`, why: 'a link' }));

it.each<[string, readonly Measured[], Record<string, string>, Record<string, string>]>([
  ['what fits', [folder('a', 100)], { a: 'copy' }, { a: 'copy' }],
  ['what is too big', [folder('a', 101)], { a: 'skip' }, { a: 'bind' }],
  ['what was not counted to its end', [folder('a', 9, { over: true })], { a: 'skip' }, { a: 'bind' }],
  [
    'the outermost first, in sum',
    [folder('p/x/node_modules', 60), folder('node_modules', 60), folder('p/y/node_modules', 40)],
    { node_modules: 'copy', 'p/x/node_modules': 'skip', 'p/y/node_modules': 'copy' },
    { node_modules: 'copy', 'p/x/node_modules': 'bind', 'p/y/node_modules': 'copy' },
  ],
  ['a shared store', [folder('a', 1, { escapes: MANY })], { a: 'skip' }, { a: 'skip' }],
  ['a link', [{ kind: 'unusable', path: 'a', why: 'it is a link' }], { a: 'skip' }, { a: 'skip' }],
])('%s is decided the same whatever the order', (_what, found, without, withBinds) => {
  for (const order of [found, found.toReversed()]) {
    for (const [canBind, expected] of [
      [false, without],
      [true, withBinds],
    ] as const) {
      const plan = planDependencies(order, { limits: LIMITS, canBind });
      expect(Object.fromEntries(plan.map(({ path, kind }) => [path, kind]))).toEqual(expected);
    }
  }
});

it('a status is sorted into three lists, without our own store; a name may hold anything but NUL', () => {
  const bytes = Buffer.from(
    ' M a b\0A  new\n\0?? un/tracked\0!! node_modules/\0!! .cc-delegate/\0?? .cc-delegate/x\0',
  );
  expect(parseStatus(bytes)).toEqual({
    changed: ['a b', 'new\n'],
    untracked: ['un/tracked'],
    ignored: ['node_modules/'],
  });
});

it.each([
  ['a folder of the root', ['node_modules/'], { dependencies: ['node_modules'] }],
  ['its single entries', ['node_modules/a/', 'node_modules/b.js'], { dependencies: ['node_modules'] }],
  ['one of a part of the base', ['src/node_modules/'], { dependencies: ['src/node_modules'] }],
  ['one of a part that is new', ['new/vendor/'], {}],
  [
    'what is ignored in a folder with tracked files',
    ['kept/vendor/bundle/', 'kept/vendor/x.log'],
    { dependencies: ['kept/vendor/bundle'] },
  ],
  ['a name that only begins so', ['node_modules.old/', 'vendors/'], {}],
  ['a build folder', ['target/', '.tox/'], { never: ['.tox', 'target'] }],
  ['an environment by its file', ['weird/'], { never: ['weird'] }],
  [
    'local settings',
    ['.env', 'src/.env.local', '.envrc', 'dist/'],
    { environments: ['.env', 'src/.env.local'] },
  ],
])('%s among the ignored', (_what, ignored, expected) => {
  const base = new Set(['', 'src', 'kept', 'kept/vendor']);
  const sorted = sortFolders({ ignored, untracked: [] }, base, (path) => path === 'weird');
  expect(sorted).toEqual({ dependencies: [], never: [], environments: [], ...expected });
});

it.each([
  ['a/l', 'b', null],
  ['a/l', '../b', null],
  ['a/l', '..', null],
  ['a/l', '../../b', 'a link that leads out of the checkout'],
  ['a/l', '../../co-sibling/x', 'a link that leads out of the checkout'],
  ['a/l', '/co/x', 'a link into your checkout'],
  ['a/l', '/etc/passwd', 'a link that leads out of the checkout'],
])('from %s a link to %s: %s', (path, target, expected) => {
  expect(leadsOut('/co', path, target)).toBe(expected);
});

it.each([
  ['a b', '/a\\ b'],
  ['!x#[1]?*', '/\\!x\\#\\[1\\]\\?\\*'],
  ['back\\slash', '/back\\\\slash'],
])('the rule for %j is %j', (path, rule) => {
  expect(excludeRule(path)).toBe(rule);
});

const NOTHING: ReadyReport = {
  uncommitted: { changed: [], untracked: [] },
  included: [],
  notIncluded: [],
  includeMisses: [],
  environments: [],
  dependencies: [],
  dependenciesBound: [],
  dependenciesSkipped: [],
  neverReused: [],
  escapes: [],
  changedLockFiles: [],
  submodules: [],
  submodulesMissing: [],
  lfs: [],
  lfsMissing: [],
};

it('a report with nothing to say has no line; a long list is cut, in lines and for an event', () => {
  expect(reportLines(NOTHING)).toEqual([]);
  expect(reportLines({ ...NOTHING, included: ['a\nb', 'c', 'd', 'e', 'f'] })).toEqual([
    '.worktreeinclude: the worker gets a\\nb, c, d and 2 more',
  ]);
  const untracked = Array.from({ length: 150 }, (_, at) => `${at}`);
  const short = shortReport({ ...NOTHING, uncommitted: { changed: [], untracked } });
  expect(short).toMatchObject({ cut: 50, uncommitted: { untracked: untracked.slice(0, 100) } });
});
