/** One command of a shell text: its words, without quotes. */
export type Words = readonly string[];

/** In this order: continued lines, single characters, quotes, what holds a separator without being one, the rest. */
const TOKEN =
  /\\\n|\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?|\$\{[^}\s]*\}|\d*>&\d*|&>|>\||(?<=^|\s)#[^\n]*|\|[|&]|[;&|\n(){}`]|\s|[^\\'"$\d>&#;|\n(){}`\s]+|./gs;

/**
 * The simple commands of a shell text, in order. An approximation that is for finding out which files a test
 * command runs, never for a decision on what may run: redirections and expansions are words like any other.
 */
export function simpleCommands(text: string): Words[] {
  return commandsOf(text).map(({ words }) => words);
}

/** Those of them that read what the one before them prints. */
export function readersOfPipes(text: string): Words[] {
  return commandsOf(text)
    .filter(({ piped }) => piped)
    .map(({ words }) => words);
}

interface Command {
  readonly words: string[];
  readonly piped: boolean;
}

function commandsOf(text: string): Command[] {
  const commands: Command[] = [{ words: [], piped: false }];
  let word: string | null = null;
  const endWord = (): void => {
    if (word !== null) commands.at(-1)?.words.push(word);
    word = null;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^(\|\||\|&|[;&|\n(){}`])$/.test(token)) {
      endWord();
      commands.push({ words: [], piped: token === '|' || token === '|&' });
    } else if (/^\s$/.test(token)) endWord();
    else if (word !== null || !token.startsWith('#')) word = (word ?? '') + meaning(token);
  }
  endWord();
  return commands.filter(({ words }) => words.length > 0);
}

function meaning(token: string): string {
  if (token.startsWith("'")) return token.slice(1).replace(/'$/, '');
  if (token.startsWith('"'))
    return token
      .slice(1)
      .replace(/"$/, '')
      .replace(/\\(["\\$`])/g, '$1');
  if (token === '\\\n') return '';
  return token.startsWith('\\') ? token.slice(1) : token;
}

const WRAPPERS = new Set([
  'env',
  'exec',
  'time',
  'nice',
  'command',
  'npx',
  'bunx',
  'xvfb-run',
  'sudo',
  'nohup',
  '!',
]);
const RUNNERS_OF = new Set(['poetry', 'uv', 'pipenv', 'pdm', 'hatch', 'rye', 'conda']);
const SHELL_WORDS = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', 'fi', 'done']);

/** The same command without what stands before it: variables, wrappers, words of the shell. */
export function bare(words: Words): Words {
  const [first = '', second = ''] = words;
  if (words.length === 0) return words;
  if (/^[A-Za-z_]\w*=/.test(first) || SHELL_WORDS.has(first)) return bare(words.slice(1));
  if (WRAPPERS.has(first)) return bare(words.slice(1).filter((word, at) => at > 0 || !word.startsWith('-')));
  if (first === 'timeout') {
    const rest = words.slice(1).filter((word) => !word.startsWith('-'));
    return bare(rest.slice(1));
  }
  if (RUNNERS_OF.has(first) && second === 'run') return bare(words.slice(2));
  if (first === 'bundle' && second === 'exec') return bare(words.slice(2));
  if (['pnpm', 'yarn', 'npm'].includes(first) && ['exec', 'dlx'].includes(second)) {
    return bare(words.slice(2).filter((word) => word !== '--'));
  }
  return words;
}
