import { expect, it } from 'vitest';
import { importsOf } from '../../src/job/asked-for.ts';
import { parseObject } from '../../src/job/kept-aliases.ts';
import { keptSections } from '../../src/job/kept-sections.ts';
import { makesOtherwise } from '../../src/job/makefile.ts';
import { steersOtherwise } from '../../src/job/steering-lines.ts';
import { isSuspicious, readChange } from '../../src/job/test-changes.ts';

/** Enough that what grows with the square of it takes seconds. */
const LONG = 30_000;
const MOST_MS = 1_500;

const TEXTS: readonly (readonly [string, string])[] = [
  ['line breaks', '\n'.repeat(LONG)],
  ['spaces after an end', `; true${' '.repeat(LONG)}x`],
  ['spaces after a trap', `trap${' '.repeat(LONG)}x`],
  ['spaces in a call', `process.exit(${' '.repeat(LONG)}x`],
  ['a chain of names', 'assert.'.repeat(LONG)],
  ['flags in one line', 'MAKEFLAGS='.repeat(LONG / 2)],
  ['a long word', 'assert'.repeat(LONG)],
  ['spaces', `a${' '.repeat(LONG)}b`],
  ['quotes that are escaped', '\\"'.repeat(LONG)],
  ['quotes and a broken line', `{${'\\"'.repeat(LONG)}\\\n`],
  ['comments without an end', '/*'.repeat(LONG)],
  ['commas', `,${' '.repeat(LONG)}`.repeat(2)],
  ['brackets', '['.repeat(LONG)],
  ['a header with spaces', `[a]${' '.repeat(LONG)}b`],
  ['digits', `Tests: ${'1'.repeat(LONG)}`],
  ['an import of dots', `from ${'.'.repeat(LONG)}`],
  ['imports without an end', 'from . import ('.repeat(LONG / 10)],
  ['lines of such', 'from . import (\n'.repeat(LONG / 10)],
  ['words of exports', 'export '.repeat(LONG)],
];

it.each(TEXTS)('%s are read in no time', (_, text) => {
  const started = performance.now();
  isSuspicious(text);
  readChange('a.test.js', { before: "test('a', () => {\n  expect(1).toBe(1);\n});\n", after: text });
  for (const path of ['a.js', 'a.py', 'a.rs']) importsOf({ path, text });
  parseObject(text);
  keptSections('pyproject.toml', '[tool.pytest]\n', text);
  makesOtherwise('test:\n\ttrue\n', text, new Set(['test']));
  for (const path of ['pom.xml', '.env', 'go.mod', 'CMakeLists.txt', 'a.gradle', 'package-lock.json'])
    steersOtherwise(path, '', text);
  expect(performance.now() - started).toBeLessThan(MOST_MS);
});

it('a makefile of many variables or of many targets is read in no time', () => {
  const started = performance.now();
  const values = Array.from({ length: 6_000 }, (_, at) => `V${at} = 1`);
  const uses = values.map((_, at) => `\techo $(V${at})`);
  const base = ['test:', ...uses, ...values].join('\n');
  expect(makesOtherwise(base, base.replace('V5999 = 1', 'V5999 = 2'), new Set(['test']))).toBe(true);
  const chain = Array.from({ length: 6_000 }, (_, at) => `test${at}: test${at - 1}\n\ttrue`);
  expect(makesOtherwise(chain.join('\n'), chain.join('\n'), new Set(['test5999']))).toBe(false);
  expect(
    makesOtherwise(chain.join('\n'), chain.join('\n').replace('true', 'false'), new Set(['test5999'])),
  ).toBe(true);
  expect(performance.now() - started).toBeLessThan(MOST_MS);
});
