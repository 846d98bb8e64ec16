import { describe, expect, it } from 'vitest';
import { askedFor, importsOf } from '../../src/job/asked-for.ts';

function asked(path: string, text: string, ...files: readonly string[]): string[] {
  const names = new Set(importsOf({ path, text }));
  return [
    ...askedFor(
      names,
      files.map((file) => ({ path: file, text: '' })),
    ),
  ];
}

describe('a new file is asked for', () => {
  it.each([
    ['test/a.test.js', "import { x } from './help.js';", 'test/help.js'],
    ['test/a.test.ts', "import { x } from './help.js';", 'test/help.ts'],
    ['test/a.test.ts', "import x from '../support';", 'support/index.ts'],
    ['test/a.test.js', "require('./help')", 'test/help.cjs'],
    ['spec/a_spec.rb', "require_relative 'support/x'", 'spec/support/x.rb'],
    ['tests/a.c', '#include "help.h"', 'tests/help.h'],
    ['tests/a.rs', 'mod common;\n', 'tests/common/mod.rs'],
    ['tests/test_a.py', 'from tests.help import five\n', 'tests/help.py'],
    ['tests/test_a.py', 'from . import (\n    one,\n    help,\n)\n', 'tests/help.py'],
    ['tests/test_a.py', 'from tests import help as h\n', 'tests/help.py'],
    ['tests/deep/test_a.py', 'from ..help import five\n', 'tests/help.py'],
    ['tests/test_a.py', 'import os, help\n', 'tests/help.py'],
    ['tests/test_a.py', 'import tests.kit\n', 'tests/kit/__init__.py'],
  ])('by %s with %j: %s', (path, text, file) => expect(asked(path, text, file)).toEqual([file]));

  it.each([
    ['test/a.test.js', "import assert from 'assert';", 'test/assert.js'],
    ['test/a.test.js', "import './other.js';", 'test/help.js'],
    ['tests/test_a.py', 'from .help import five\n', 'other/help.py'],
    ['tests/test_a.py', '', 'tests/__init__.py'],
  ])('not by %s with %j: %s', (path, text, file) => expect(asked(path, text, file)).toEqual([]));

  it('by one that is asked for itself', () => {
    const files = [
      { path: 'test/one.js', text: "require('./two')" },
      { path: 'test/two.js', text: "require('./one')" },
      { path: 'test/three.js', text: '' },
    ];
    expect([...askedFor(new Set(['test/one']), files)]).toEqual(['test/one.js', 'test/two.js']);
  });
});
