import { ANY } from './marks.ts';
import { hasOption, type OptionValues, operands } from './options.ts';
import { isWithin, type Place, resolvePath } from './place.ts';
import type { Scope } from './scope.ts';
import { type Refusal, refuse } from './verdict.ts';

/** Folders nobody means to search whole. Those around the workspace are added to them. */
const WHOLE_DRIVE: ReadonlySet<string> = new Set([
  ...['/', '/home', '/root', '/Users', '/Volumes', '/mnt', '/media', '/proc', '/sys'],
]);

/** A depth up to which a look from the top costs nothing. */
const SHALLOW = 3;

/** Refuses a recursive search that starts at the top of the drive, at a home, or around the workspace. */
export function judgeScan(name: string, argv: readonly string[], scope: Scope): Refusal | null {
  const roots = scanned(name, argv);
  if (roots === null) return null;
  const searched = roots.length === 0 ? ['.'] : roots;
  return searched.some((root) => isWholeDrive(root, scope)) ? refuse('scan') : null;
}

function isWholeDrive(root: string, { cwd, place }: Scope): boolean {
  const folder = root.endsWith(`/${ANY}`) ? root.slice(0, -1) : root;
  const path = resolvePath(cwd, folder);
  return path !== null && (WHOLE_DRIVE.has(path) || path === place.home || surrounds(path, place));
}

function surrounds(path: string, { workspace }: Place): boolean {
  return path !== workspace && isWithin(workspace, path);
}

const GREP: OptionValues = {
  letters: 'ABCefmdD',
  longs: ['--include', '--exclude', '--exclude-dir', '--regexp', '--file', '--max-count', '--context'],
};
const RG: OptionValues = {
  letters: 'ABCefgmtTjMrEd',
  longs: ['--glob', '--iglob', '--type', '--type-not', '--regexp', '--file', '--max-depth', '--max-count'],
};
const FD: OptionValues = {
  letters: 'detEcjxXS',
  longs: ['--max-depth', '--extension', '--type', '--exclude', '--exec', '--base-directory'],
};
const DU: OptionValues = { letters: 'dtBX', longs: ['--max-depth', '--exclude', '--threshold'] };
const TREE: OptionValues = { letters: 'LIPoHT', longs: ['--filelimit', '--charset'] };
const LS: OptionValues = { letters: 'IwT', longs: ['--ignore', '--hide'] };

/** The folders a command would walk through; null when it walks through none, or not deep. */
function scanned(name: string, argv: readonly string[]): readonly string[] | null {
  switch (name) {
    case 'find':
    case 'gfind':
      return depth(argv, '-maxdepth') <= SHALLOW ? null : findRoots(argv);
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return hasOption(argv, 'rR', '--recursive', '--dereference-recursive')
        ? afterPattern(argv, GREP)
        : null;
    case 'rgrep':
      return afterPattern(argv, GREP);
    case 'rg':
    case 'ag':
    case 'ack':
      return depth(argv, '-d', '--max-depth') <= SHALLOW ? null : afterPattern(argv, RG);
    case 'fd':
    case 'fdfind':
      return depth(argv, '-d', '--max-depth') <= SHALLOW ? null : operands(argv, FD).slice(1);
    case 'du':
      return operands(argv, DU);
    case 'tree':
      return depth(argv, '-L') <= SHALLOW ? null : operands(argv, TREE);
    case 'ls':
      return hasOption(argv, 'R', '--recursive') ? operands(argv, LS) : null;
    default:
      return null;
  }
}

function findRoots(argv: readonly string[]): readonly string[] {
  const start = argv.findIndex((word, index) => index > 0 && !/^-(?:[HLP]|O\d|D)$/.test(word));
  const rest = start === -1 ? [] : argv.slice(start);
  const end = rest.findIndex((word) => /^[-(!]/.test(word));
  return end === -1 ? rest : rest.slice(0, end);
}

function afterPattern(argv: readonly string[], values: OptionValues): readonly string[] {
  const words = operands(argv, values);
  return hasOption(argv, 'ef', '--regexp', '--file', '--files') ? words : words.slice(1);
}

function depth(argv: readonly string[], ...names: readonly string[]): number {
  for (const [index, word] of argv.entries()) {
    const [name = '', value] = word.split('=', 2);
    if (names.includes(name))
      return Number(value ?? argv[index + 1] ?? Number.NaN) || Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}
