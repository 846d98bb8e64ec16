import { isAbsolute, resolve } from 'node:path';
import type { Bounds } from './bounds.ts';
import { type Need, needOf } from './need.ts';
import { readShell, type ShellCall } from './shell-calls.ts';

/** What the client is to do with a tool call. `calls` are those the person is asked about. */
export type ToolVerdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'ask'; readonly why: string; readonly calls: readonly (readonly string[])[] }
  | { readonly kind: 'deny'; readonly why: string };

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** The user's own folder, resolved. */
  readonly userDir: string;
  /** The home folder, for `~`. */
  readonly home: string;
  readonly bounds: Bounds | null;
  /** Where this call would send files to that nobody has agreed to yet; null: nowhere. */
  readonly newTo: (argv: readonly string[]) => string | null;
  /** Is there already the person's consent to this call? */
  readonly isGranted: (argv: readonly string[], need: Need) => boolean;
}

const FREE: ToolVerdict = { kind: 'free' };

/** Judges one tool call of the client's model. Pure. */
export function judgeTool(call: ToolCall): ToolVerdict {
  if (call.tool === 'Bash') return judgeCommand(call, textIn(call.input, 'command'));
  const path = ['file_path', 'notebook_path', 'path'].map((key) => textIn(call.input, key)).find(Boolean);
  if (path === undefined) return FREE;
  const place = placeOf(call, path);
  return call.tool === 'Read' || call.tool === 'Grep' ? judgeRead(place) : judgeWrite(place);
}

function judgeCommand(call: ToolCall, command: string): ToolVerdict {
  const reading = readShell(command);
  for (const path of reading.written) {
    const verdict = judgeWrite(placeOf(call, path));
    if (verdict.kind !== 'free') return verdict;
  }
  for (const words of reading.commands) {
    const verdict = judgeFiles(call, words);
    if (verdict.kind !== 'free') return verdict;
  }
  return judgeCalls(call, reading.calls);
}

function judgeCalls(call: ToolCall, calls: readonly ShellCall[]): ToolVerdict {
  const asked: { readonly shell: ShellCall; readonly need: Need }[] = [];
  for (const shell of calls) {
    if (shell.isDisguised) return deny('it hides that a session calls cc-delegate, or where its files are');
    const beyond = needOf(shell.argv, call.bounds);
    if (beyond?.verb === 'hook') return deny(HOOKS_ARE_THE_CLIENTS);
    if (beyond !== null && !shell.isKnown) {
      return deny(`it ${beyond.why}, and what exactly is known only when it runs`);
    }
    const need = needOf(shell.argv, call.bounds, call.newTo(shell.argv));
    if (need === null) continue;
    if (!call.isGranted(shell.argv, need)) asked.push({ shell, need });
  }
  if (asked.length === 0) return FREE;
  const why = asked.map(({ shell, need }) => `cc-delegate ${shell.argv.join(' ')}\n  ${need.why}`).join('\n');
  return { kind: 'ask', why, calls: asked.flatMap(({ shell }) => (shell.isKnown ? [shell.argv] : [])) };
}

const HOOKS_ARE_THE_CLIENTS = 'the hooks of cc-delegate are called by the client alone';

function deny(why: string): ToolVerdict {
  return { kind: 'deny', why: `${why}; call cc-delegate plainly, or ask the user to do it in a terminal` };
}

/** The settings are asked about; what stands for consent and keys is never written. */
function judgeWrite(place: string | null): ToolVerdict {
  if (place === null) return FREE;
  if (place === 'config.yaml') {
    return { kind: 'ask', why: 'changes your cc-delegate settings (config.yaml) directly', calls: [] };
  }
  return deny(`${place === '' ? 'this folder' : place} is cc-delegate's own`);
}

/** Of which the older product's `config.json` may hold keys, as `credentials.json` does. */
const KEPT_FROM_EYES = /^(?:credentials|grants|logins|config\.json)|[*?[{]/;

/** Keys and consents are not for a model's eyes, nor is a pattern or a folder that has them among others. */
function judgeRead(place: string | null): ToolVerdict {
  if (place === null || (place !== '' && !KEPT_FROM_EYES.test(place))) return FREE;
  return deny(`${place === '' ? 'this folder' : place} holds keys`);
}

const READERS = new Set(
  'cat less more head tail grep rg stat wc file bat diff cmp jq awk md5sum sha256sum cut sort'.split(' '),
);

/** A command that names files of ours. */
function judgeFiles(call: ToolCall, [program = '', ...args]: readonly string[]): ToolVerdict {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const isReader =
    READERS.has(name) || (name === 'sed' && !args.some((arg) => /^(-[a-z]*i|--in-place)/.test(arg)));
  for (const [at, arg] of [program, ...args].entries()) {
    if (/(^|\/)(policy-)?hook\.(cjs|sh)$/.test(arg) && !isReader) return deny(HOOKS_ARE_THE_CLIENTS);
    const place = placeOf(call, arg);
    if (at === 0 || place === null || /(^|\/)cc-delegate(-statusline(-wrapped)?)?$/.test(arg)) continue;
    if (name === 'ls' || name === 'cd') continue;
    const isSource = name === 'cp' && at < args.length;
    const verdict = isReader || isSource ? judgeRead(place) : judgeWrite(place);
    if (verdict.kind !== 'free') return verdict;
  }
  return FREE;
}

/** The path below the user's folder; null for one outside of it. */
function placeOf({ userDir, cwd, home }: ToolCall, path: string): string | null {
  const spelled = path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
  // After a `cd` the same file has a shorter name; no repository's own `.cc-delegate` has these.
  const short = /(?:^|\/)\.cc-delegate\/((?:config\.yaml|config\.json|credentials|grants|logins).*)$/.exec(
    spelled,
  )?.[1];
  if (short !== undefined) return short;
  if (!/[/.]/.test(spelled)) return null;
  const absolute = isAbsolute(spelled) ? resolve(spelled) : resolve(cwd, spelled);
  if (absolute === userDir) return '';
  return absolute.startsWith(`${userDir}/`) ? absolute.slice(userDir.length + 1) : null;
}

function textIn(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = input[key];
  return typeof value === 'string' ? value : '';
}
