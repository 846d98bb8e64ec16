import { bare, simpleCommands, type Words } from './command-words.ts';
import { recipeOf } from './makefile.ts';
import { joined, parentOf } from './relative-path.ts';
import { isExpectation } from './test-files.ts';

/** The base's files, as far as finding out what a test command runs needs them. */
export interface BaseFiles {
  has(path: string): boolean;
  /** null: it is not there, too big, or no text. */
  text(path: string): Promise<string | null>;
}

/** What of the base judges the work when this test command runs. Paths are relative to the root. */
export interface Judges {
  /** Scripts and files whose word the exit code is. */
  readonly scripts: ReadonlySet<string>;
  /** package.json files, with the names of the scripts that run. */
  readonly packages: ReadonlyMap<string, ReadonlySet<string>>;
  /** Makefiles, with the targets that are made. */
  readonly makefiles: ReadonlyMap<string, ReadonlySet<string>>;
  /** Where it starts, in all of its parts: what lies there may be found in place of a runner. */
  readonly folders: ReadonlySet<string>;
  /** What it names and the base does not have, be it a file, a folder or no path at all. */
  readonly missing: ReadonlySet<string>;
}

const MOST_READ = 60;

/**
 * Follows a test command through scripts, package.json and makefiles of the BASE to the files that judge. A
 * program that only might be what is tested (`python app.py | diff - expected`) is none of them: a worker is
 * there to change it. `cwd` is where it starts, relative to the root ('' is the root).
 */
export async function judgesOf(command: string, cwd: string, base: BaseFiles): Promise<Judges> {
  const walk = new Walk(base);
  const alone = simpleCommands(command).filter(([first]) => first !== 'cd').length === 1;
  await walk.text(command, cwd, alone);
  return walk;
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash']);
const LANGUAGES = /^(python[\d.]*|node|nodejs|ruby|perl|php|deno|bun|tsx|ts-node|Rscript|lua|pypy[\d.]*)$/;
const RUNNERS =
  /^(pytest|py\.test|vitest|jest|mocha|ava|tap|c8|nyc|rspec|phpunit|tox|nox|karma|playwright|bats|prove|ctest)$/;
const WITH_VALUE = /^(--prefix|-C|--cwd|--dir|-w|--workspace|--filter|-F)$/;
const MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const TEST_LIKE =
  /(^|[/._-])(tests?|checks?|ci|verify|verification|specs?|run[-_]?tests?|lint|validate|acceptance|smoke|e2e|assert|gate|runner)([/._-]|$)/i;
const FILE_OPTIONS =
  /^(-c|-r|-f|--config|--require|--import|--setupFiles?|--globals|--rcfile|--reporter|-p)$/;

class Walk implements Judges {
  readonly scripts = new Set<string>();
  readonly packages = new Map<string, Set<string>>();
  readonly makefiles = new Map<string, Set<string>>();
  readonly folders = new Set<string>();
  readonly missing = new Set<string>();
  readonly #base: BaseFiles;
  #read = 0;

  constructor(base: BaseFiles) {
    this.#base = base;
  }

  async text(text: string, cwd: string, alone: boolean): Promise<void> {
    let folder = cwd;
    this.folders.add(folder);
    const commands = simpleCommands(text);
    const compares = commands.some((words) => /^(diff|cmp|comm)$/.test(bare(words)[0] ?? ''));
    for (const words of commands) {
      const plain = bare(words);
      this.#pythonPath(words, folder);
      if (compares) this.#expectations(words, folder);
      if (plain[0] === 'cd') {
        folder = joined(folder, plain[1] ?? '');
        this.folders.add(folder);
      } else await this.#command(plain, folder, alone);
    }
  }

  /** Where Python looks for a module too. */
  #pythonPath(words: Words, cwd: string): void {
    const value = words.find((word) => word.startsWith('PYTHONPATH='))?.slice('PYTHONPATH='.length) ?? '';
    for (const each of value.split(':').filter((part) => part !== '')) this.folders.add(joined(cwd, each));
  }

  /** What an output is compared with says what is right, as a test does. */
  #expectations(words: Words, cwd: string): void {
    for (const word of words) {
      const path = joined(cwd, word.replace(/^<+/, ''));
      if (isExpectation(path) && this.#base.has(path)) this.scripts.add(path);
    }
  }

  async #command(words: Words, cwd: string, alone: boolean): Promise<void> {
    const [program = '', ...args] = words;
    const name = program.split('/').at(-1) ?? '';
    if (SHELLS.has(name)) return this.#shell(args, cwd, alone);
    if (program === '.' || program === 'source') return this.#script(args[0], cwd, { alone, shell: true });
    if (MANAGERS.has(name)) return this.#manager(name, args, cwd);
    if (/^g?make$/.test(name)) return this.#make(args, cwd);
    if (LANGUAGES.test(name)) return this.#language(args, cwd);
    if (RUNNERS.test(name)) return this.#namedFiles(args, cwd);
    return this.#script(program, cwd, { alone, shell: false });
  }

  async #shell(args: Words, cwd: string, alone: boolean): Promise<void> {
    const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
    if (at !== -1) return this.text(args[at + 1] ?? '', cwd, alone);
    return this.#script(
      args.find((word) => !word.startsWith('-') && !word.startsWith('+')),
      cwd,
      { alone, shell: true },
    );
  }

  /** A script is followed and judges when its name says so, or when nothing else stands in the command. */
  async #script(
    word: string | undefined,
    cwd: string,
    { alone, shell }: { readonly alone: boolean; readonly shell: boolean },
  ): Promise<void> {
    const path = word === undefined ? null : joined(cwd, word);
    if (path !== null && !this.#base.has(path)) this.missing.add(path);
    if (path === null || !this.#base.has(path) || this.scripts.has(path)) return;
    const text = await this.#open(path);
    const isShell = shell || /\.(ba|z|k|da)?sh$/.test(path) || /^#!.*\b(ba|z|k|da)?sh\b/.test(text ?? '');
    if (!TEST_LIKE.test(path) && !(alone && isShell)) return;
    this.scripts.add(path);
    if (text !== null && isShell) await this.text(text, cwd, false);
  }

  #namedFiles(args: Words, cwd: string): void {
    for (const [at, word] of args.entries()) {
      const value = /^--?[\w-]+=(.+)$/.exec(word)?.[1] ?? word;
      const path = joined(cwd, value.replace(/::.*$/, ''));
      if (this.#base.has(path)) this.scripts.add(path);
      else if (FILE_OPTIONS.test(word)) this.#namedFiles([args[at + 1] ?? ''], cwd);
      else this.missing.add(path);
    }
  }

  async #language(args: Words, cwd: string): Promise<void> {
    const module = args.indexOf('-m');
    const isRunner = module !== -1 && /^(pytest|unittest|nose2?|tox|coverage)$/.test(args[module + 1] ?? '');
    if (isRunner || args[0] === 'test' || args.some((word) => /^--test(?!-)/.test(word))) {
      return this.#namedFiles(args, cwd);
    }
    if (module !== -1) return;
    const loaded = args.flatMap((word, at) => (FILE_OPTIONS.test(word) ? [args[at + 1] ?? ''] : []));
    if (args.some((word) => /^-[ce]$/.test(word))) return;
    this.#namedFiles(loaded, cwd);
    const script = args.find((word) => !word.startsWith('-') && !loaded.includes(word));
    if (script !== undefined) this.folders.add(parentOf(joined(cwd, script)));
    await this.#script(script, cwd, { alone: false, shell: false });
  }

  async #manager(name: string, args: Words, cwd: string): Promise<void> {
    const folder = this.#managedFolder(name, args, cwd);
    // pnpm's `-w` is its own, and has none.
    const takesValue = (word: string): boolean =>
      WITH_VALUE.test(word) && !(name === 'pnpm' && word === '-w');
    const rest = args.filter((word, at) => !word.startsWith('-') && !takesValue(args[at - 1] ?? ''));
    const plain = name === 'yarn' && rest[0] === 'workspace' ? rest.slice(2) : rest;
    const run = plain[0] === 'run' || plain[0] === 'run-script';
    const asked = run ? plain[1] : plain[0];
    const script = asked === 't' || asked === 'tst' ? 'test' : asked;
    const path = this.#nearest(folder, 'package.json');
    if (script === undefined || path === null) return;
    if (name === 'bun' && script === 'test' && !run) return this.#namedFiles(plain.slice(1), folder);
    const known = this.packages.get(path) ?? new Set<string>();
    this.packages.set(path, known);
    if (known.has(script)) return;
    const scripts = scriptsOf(await this.#open(path));
    for (const each of [`pre${script}`, script, `post${script}`]) {
      known.add(each);
      const text = scripts[each];
      if (text !== undefined) await this.text(text, parentOf(path), simpleCommands(text).length === 1);
    }
  }

  /** Where the package is: in the folder it is sent to, or in a workspace that is named by its folder. */
  #managedFolder(name: string, args: Words, cwd: string): string {
    const given = (option: RegExp): string | undefined => {
      const at = args.findIndex((word) => option.test(word.replace(/=.*/, '')));
      return args[at]?.includes('=') ? args[at].replace(/^[^=]*=/, '') : at === -1 ? undefined : args[at + 1];
    };
    const folder = joined(cwd, given(/^(--prefix|-C|--cwd|--dir)$/) ?? '');
    const workspace = given(name === 'pnpm' ? /^(--filter|-F)$/ : /^(-w|--workspace|workspace)$/);
    const within = workspace === undefined ? null : joined(folder, workspace);
    return within !== null && this.#base.has(joined(within, 'package.json')) ? within : folder;
  }

  async #make(args: Words, cwd: string): Promise<void> {
    const inFolder = args.findIndex((word) => word === '-C' || word === '--directory');
    const file = args.findIndex((word) => word === '-f' || word === '--file' || word === '--makefile');
    const folder = inFolder === -1 ? cwd : joined(cwd, args[inFolder + 1] ?? '');
    const names = file === -1 ? ['GNUmakefile', 'makefile', 'Makefile'] : [args[file + 1] ?? ''];
    const path = names.map((name) => joined(folder, name)).find((each) => this.#base.has(each));
    if (path === undefined) return;
    const values = new Set([inFolder + 1, file + 1].filter((at) => at > 0));
    const targets = args.filter((word, at) => !/^-|=/.test(word) && !values.has(at));
    const known = this.makefiles.get(path) ?? new Set<string>();
    this.makefiles.set(path, known);
    const text = (await this.#open(path)) ?? '';
    const first = /^([A-Za-z0-9][\w.-]*)\s*:(?!=)/m.exec(text)?.[1];
    const wanted = targets.length > 0 ? targets : first === undefined ? [] : [first];
    for (const target of wanted.filter((each) => !known.has(each))) {
      known.add(target);
      for (const line of recipeOf(text, target)) await this.text(line.replace(/^[@+-]+/, ''), folder, true);
    }
  }

  /** The file of this name in the folder or the nearest one above it. */
  #nearest(folder: string, name: string): string | null {
    const path = joined(folder, name);
    if (this.#base.has(path)) return path;
    return folder === '' ? null : this.#nearest(parentOf(folder), name);
  }

  async #open(path: string): Promise<string | null> {
    this.#read += 1;
    return this.#read > MOST_READ ? null : this.#base.text(path);
  }
}

function scriptsOf(text: string | null): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const scripts = typeof value === 'object' && value !== null && 'scripts' in value ? value.scripts : {};
    if (typeof scripts !== 'object' || scripts === null) return {};
    return Object.fromEntries(Object.entries(scripts).filter(([, script]) => typeof script === 'string'));
  } catch {
    // No JSON: npm would say so itself.
    return {};
  }
}
