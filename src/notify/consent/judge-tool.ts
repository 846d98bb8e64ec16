import { isAbsolute, resolve } from 'node:path';
import { type Bounds, type Need, needOf } from './need.ts';
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
  /** Is there already the person's consent to this call? */
  readonly isGranted: (argv: readonly string[], need: Need) => boolean;
}

const FREE: ToolVerdict = { kind: 'free' };

/** Judges one tool call of the client's model. Pure. */
export function judgeTool(call: ToolCall): ToolVerdict {
  if (call.tool === 'Bash') return judgeCommand(call, textIn(call.input, 'command'));
  const path = textIn(call.input, 'file_path') || textIn(call.input, 'notebook_path');
  return path === '' ? FREE : judgeWrite(call, path);
}

function judgeCommand(call: ToolCall, command: string): ToolVerdict {
  const reading = readShell(command);
  for (const path of reading.written) {
    const verdict = judgeWrite(call, path);
    if (verdict.kind !== 'free') return verdict;
  }
  const files = judgeFiles(call, reading.commands);
  if (files.kind !== 'free') return files;
  const asked: { readonly shell: ShellCall; readonly need: Need }[] = [];
  for (const shell of reading.calls) {
    if (shell.isDisguised) return deny('it hides that a session calls cc-delegate, or where its files are');
    const need = needOf(shell.argv, call.bounds);
    if (need === null) continue;
    if (need.verb === 'hook') return deny('the hooks of cc-delegate are called by the client alone');
    if (!shell.isKnown) return deny(`it ${need.why}, and what exactly is known only when it runs`);
    if (!call.isGranted(shell.argv, need)) asked.push({ shell, need });
  }
  if (asked.length === 0) return FREE;
  const why = asked.map(({ shell, need }) => `cc-delegate ${shell.argv.join(' ')}\n  ${need.why}`).join('\n');
  return { kind: 'ask', why, calls: asked.map(({ shell }) => shell.argv) };
}

function deny(why: string): ToolVerdict {
  return { kind: 'deny', why: `${why}; call cc-delegate plainly, or ask the user to do it in a terminal` };
}

/** A file tool, or a redirection: the settings are asked about, what stands for consent and keys is never written. */
function judgeWrite(call: ToolCall, path: string): ToolVerdict {
  const inside = insideOf(call, path);
  if (inside === null) return FREE;
  if (inside === 'config.yaml') {
    return { kind: 'ask', why: 'changes your cc-delegate settings (config.yaml) directly', calls: [] };
  }
  return deny(`${inside === '' ? 'this folder' : inside} is cc-delegate's own`);
}

const READERS = new Set([
  'cat',
  'less',
  'more',
  'head',
  'tail',
  'grep',
  'rg',
  'ls',
  'stat',
  'wc',
  'file',
  'bat',
]);

/** Commands that name a file of ours: reading the settings is free, the rest is as a write. */
function judgeFiles(call: ToolCall, commands: readonly (readonly string[])[]): ToolVerdict {
  for (const [program = '', ...args] of commands) {
    for (const arg of args) {
      const inside = insideOf(call, arg);
      if (inside === null || /(^|\/)cc-delegate(-statusline)?$/.test(arg)) continue;
      const isRead = READERS.has(program) && !SECRET.test(inside);
      if (!isRead) return judgeWrite(call, arg);
    }
    if (args.some((arg) => /(^|\/)hook\.cjs$/.test(arg)) && program.endsWith('node')) {
      return deny('the hooks of cc-delegate are called by the client alone');
    }
  }
  return FREE;
}

const SECRET = /^(credentials|grants)/;

/** The path below the user's folder; null for one outside of it. */
function insideOf({ userDir, cwd, home }: ToolCall, path: string): string | null {
  const spelled = path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
  if (!/[/.]/.test(spelled)) return null;
  const absolute = isAbsolute(spelled) ? resolve(spelled) : resolve(cwd, spelled);
  if (absolute === userDir) return '';
  return absolute.startsWith(`${userDir}/`) ? absolute.slice(userDir.length + 1) : null;
}

function textIn(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = input[key];
  return typeof value === 'string' ? value : '';
}
