import { joined, parentOf } from './relative-path.ts';

/** A file (relative, slashes) with its text. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

// As in test-changes: the text is the worker's, so that no pattern may take longer than in proportion to it.
const RELATIVE = /["'`](\.{1,2}\/[^"'`\n]{1,300})["'`]/g;
const REQUIRE_RELATIVE = /\brequire_relative[ (]{1,4}["']([^"'\n]{1,300})["']/g;
const WITH_ENDING = /#[ \t]{0,8}include[ \t]{0,8}"([^"\n]{1,300})"/g;
const RUST_MODULE = /^[ \t]*(?:pub[ \t]+)?mod[ \t]+(\w+)[ \t]*;/gm;
const PYTHON_FROM = /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]{0,2000}\)|[^\n(]{0,500})/gm;
const PYTHON_IMPORT = /^[ \t]*import[ \t]+([\w., \t]{1,500})/gm;

/** A module of Python may be found from any folder that is a root: such a name is one from the end of a path. */
const ANYWHERE = 'anywhere:';

/**
 * The files that this one imports, as names that `askedFor` understands: relative imports of JavaScript, Ruby and C,
 * modules of Rust and Python. What is imported by the name of a package is no file of the project.
 */
export function importsOf({ path, text }: TextFile): string[] {
  const folder = parentOf(path);
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, word = '']) => word);
  if (path.endsWith('.py')) return pythonImports(text, folder);
  const words = [...all(RELATIVE), ...all(REQUIRE_RELATIVE), ...all(WITH_ENDING)];
  if (path.endsWith('.rs')) words.push(...all(RUST_MODULE));
  return words.flatMap((word) => {
    const named = joined(folder, word);
    // TypeScript names the file that will be compiled.
    return [named, named.replace(SCRIPT, '')];
  });
}

const SCRIPT = /\.[cm]?[jt]sx?$/;

function pythonImports(text: string, folder: string): string[] {
  const plain = [...text.matchAll(PYTHON_IMPORT)].flatMap(([, list = '']) =>
    list.split(',').map((each) => ANYWHERE + slashes(each.trim().split(/\s/)[0] ?? '')),
  );
  const from = [...text.matchAll(PYTHON_FROM)].flatMap(([, module = '', list = '']) => {
    const dots = module.length - module.replace(/^\.{1,32}/, '').length;
    const rest = slashes(module.slice(dots));
    const top = dots === 0 ? '' : joined(folder, `${'../'.repeat(dots - 1)}${rest}`);
    const of = dots === 0 ? ANYWHERE + rest : top;
    const names = list.split(/[(),\s]+/).filter((name) => name !== '' && name !== 'as');
    return [of, ...names.map((name) => `${of}${of === '' || of === ANYWHERE ? '' : '/'}${name}`)];
  });
  return [...plain, ...from];
}

function slashes(module: string): string {
  return module.replaceAll('.', '/');
}

/**
 * Which of these new files do the names of `importsOf` ask for? And what those ask for, in turn.
 */
export function askedFor(names: ReadonlySet<string>, files: readonly TextFile[]): ReadonlySet<string> {
  const byName = new Map<string, TextFile[]>();
  for (const file of files) {
    for (const name of namesOf(file.path)) byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  const found = new Set<string>();
  const open = new Set(names);
  // A set hands out what is added to it meanwhile.
  for (const name of open) {
    for (const file of byName.get(name) ?? []) {
      if (found.has(file.path)) continue;
      found.add(file.path);
      for (const each of importsOf(file)) open.add(each);
    }
  }
  return found;
}

/** All that a file may be called by who imports it. */
function namesOf(path: string): string[] {
  const bare = path.replace(/\.\w+$/, '').replace(/\/(?:index|__init__|mod)$/, '');
  if (!path.endsWith('.py')) return [path, bare];
  const parts = bare.split('/');
  return [bare, ...parts.map((_, at) => ANYWHERE + parts.slice(at).join('/'))];
}
