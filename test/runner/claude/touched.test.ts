import { expect, it } from 'vitest';
import { touchedBy } from '../../../src/runner/claude/touched.ts';

const PLACE = { work: '/jobs/t/clone', cwd: '/jobs/t/clone/sub' };

function touchedAfter(tool: string, args: unknown, ok = true): string[] {
  const found: string[] = [];
  const hear = touchedBy(PLACE, (path) => found.push(path));
  hear({ t: 'tool_start', agent: 'main', id: 'a', tool, args });
  // Another agent's call of the same id.
  hear({ t: 'tool_end', agent: 'tester#1', id: 'a', tool, ok: true, ms: 1, summary: '' });
  hear({ t: 'tool_end', agent: 'main', id: 'a', tool, ok, ms: 1, summary: '' });
  hear({ t: 'tool_end', agent: 'main', id: 'a', tool, ok, ms: 1, summary: '' });
  return found;
}

it.each([
  ['an absolute path', 'Write', { file_path: '/jobs/t/clone/a/b.txt' }, ['a/b.txt']],
  ['a path from where the client stands', 'Edit', { file_path: 'c.txt' }, ['sub/c.txt']],
  ['a path with dots', 'Edit', { file_path: '../d.txt' }, ['d.txt']],
  ['a name that begins with dots', 'Write', { file_path: '/jobs/t/clone/..e' }, ['..e']],
  ['a notebook', 'NotebookEdit', { notebook_path: '/jobs/t/clone/n.ipynb' }, ['n.ipynb']],
  ['a path outside', 'Write', { file_path: '/jobs/t/home/x' }, []],
  ['a sibling with the same beginning', 'Write', { file_path: '/jobs/t/cloneshop/x' }, []],
  ['the workspace itself', 'Write', { file_path: '/jobs/t/clone' }, []],
  ['a tool that only looks', 'Read', { file_path: '/jobs/t/clone/a' }, []],
  ['no path', 'Write', { content: 'x' }, []],
  ['no object', 'Write', 'x', []],
] as const)('%s', (_name, tool, args, wanted) => {
  expect(touchedAfter(tool, args)).toEqual(wanted);
});

it('a call that failed has touched nothing', () => {
  expect(touchedAfter('Write', { file_path: '/jobs/t/clone/a' }, false)).toEqual([]);
});
