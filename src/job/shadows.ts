/** What Python's own runner and pytest import before a test has run, and the runners themselves. */
const PYTHON_MODULES: ReadonlySet<string> = new Set(
  `unittest pytest _pytest pluggy iniconfig nose nose2 doctest coverage hypothesis mock xdist pytest_cov
   abc argparse ast asyncio atexit base64 bdb builtins bz2 codecs cmd code collections contextlib copy dataclasses
   datetime difflib dis enum errno faulthandler fnmatch functools gc gettext glob hashlib importlib inspect io
   itertools json keyword linecache locale logging math opcode operator os pathlib pdb pickle pkgutil platform
   pprint py queue random re reprlib runpy select selectors shlex shutil signal site sre_compile sre_parse
   string struct subprocess sys sysconfig tempfile textwrap threading time token tokenize tomllib traceback types
   typing uuid warnings weakref xml zipfile zipimport`.split(/\s+/),
);

/** What Python runs by itself as it starts. */
const AT_START = /(^|\/)(sitecustomize|usercustomize)(\.py|\/__init__\.py)$|\.pth$/;

/** What a wrapper of a build tool runs. */
const WRAPPERS = /(^|\/)(gradle|\.mvn)\/wrapper\//;

/** What a command looks up before the machine's own: a package manager, a runner, the language itself. */
const TOOL_STEERING =
  /(^|\/)(\.yarn\/releases\/|\.pnp\.[cm]?js$|\.pnp\.loader\.mjs$|\.pnpmfile\.cjs$|\.pythonrc(\.py)?$)/;

/** Nobody has a module of his own by these names: wherever it lies, a path may lead there. */
const RUNNERS = /^(unittest|_?pytest|pluggy|nose2?)$/;

const PACKAGE = /^(?:(.*)\/)?([^/]+)\/__(?:init|main)__\.py$/;
const MODULE = /^(?:(.*)\/)?([^/]+)\.(?:py|pyc|so)$/;

/** Is this CHANGED file one that a command loads though nobody asks for it? */
export function steersTools(path: string): boolean {
  return AT_START.test(path) || TOOL_STEERING.test(path) || WRAPPERS.test(path);
}

/**
 * Would this NEW file be found in place of the test runner, or of what it imports? Then the name of what it
 * stands before, else null. Python looks into the folder it is started in, and a runner into those of the
 * tests; Node into `node_modules`. `folders` are those folders (relative, '' is the root).
 */
export function shadowedBy(path: string, folders: ReadonlySet<string>): string | null {
  if (AT_START.test(path)) return 'what Python loads when it starts';
  const vendored = /(^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  if (vendored) return `the package ${vendored[2]}`;
  if (TOOL_STEERING.test(path)) return 'the package manager';
  const module = PACKAGE.exec(path) ?? MODULE.exec(path);
  if (module === null) return null;
  const [, folder = '', name = ''] = module;
  const isFound = RUNNERS.test(name) || (folders.has(folder) && PYTHON_MODULES.has(name));
  return isFound ? `Python's ${name}` : null;
}
