import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hideNeverSent, neverSendNotices } from '../../src/runner/never-send.ts';
import { makeFolder, writeFiles } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { plainSandbox } from '../workspace/plain-sandbox.ts';

const many = Array.from({ length: 501 }, (_, n) => `s/${n}`);

it.each<[string, Parameters<typeof neverSendNotices>[0], string[]]>([
  ['nothing, when all is hidden', { level: 'full', paths: ['.env'], left: [], unseen: [] }, []],
  [
    'nothing of what is not in the workspace',
    { level: 'full', paths: ['.env'], left: ['x.bin'], unseen: [] },
    [],
  ],
  ['nothing, when there is nothing', { level: 'none', paths: [], left: [], unseen: [] }, []],
  [
    'what git may show',
    { level: 'full', paths: ['a', 'b', 'c', 'd'], left: ['a', 'b', 'c', 'd'], unseen: [] },
    ['neverSend: not recognised where git shows it: a, b, c and 1 more'],
  ],
  [
    'that nothing is hidden below level full',
    { level: 'process', paths: ['.env', 'x.bin'], left: ['x.bin'], unseen: [] },
    [
      'neverSend: 2 files are not hidden at sandbox level process: only lines that are recognised are taken out',
      'neverSend: not recognised in what commands print: x.bin',
    ],
  ],
  [
    'that there are too many',
    { level: 'full', paths: many, left: [], unseen: [] },
    ['neverSend: 501 files are too many to hide: only lines that are recognised are taken out'],
  ],
  [
    'where nobody looked',
    { level: 'full', paths: [], left: ['deep'], unseen: ['deep'] },
    ['neverSend: not looked for in: deep'],
  ],
])('the user is told %s', (_name, seen, notices) => {
  expect(neverSendNotices(seen)).toEqual(notices);
});

it('nothing runs beside a folder that has more of them than can be hidden, until it has fewer', async () => {
  const [work, folder] = [makeFolder(), makeFolder()];
  writeFiles(folder, Object.fromEntries(many.map((path) => [path, 'x'])));
  const place = { work, beside: makeFolder(), others: [folder] };
  const { sandbox } = await hideNeverSent({ ...plainSandbox(), level: 'full' }, ['s'], place);
  const run = () => sandbox.run({ argv: ['true'], cwd: work, timeoutMs: 30_000 });
  expect(await refusal(run)).toMatchObject({ code: 'never_sent', value: folder, exit: 5 });
  rmSync(join(folder, 's/0'));
  expect(await run()).toMatchObject({ exitCode: 0 });
});
