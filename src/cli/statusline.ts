import { dirname, isAbsolute } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { findLines } from '../notify/line/place.ts';
import { columnsFrom, currentLine } from '../notify/line/read.ts';
import { installStatusLine, uninstallStatusLine } from './claude-settings/status-line.ts';
import type { Output } from './command.ts';
import { atMost, parseVerb, usage } from './parse.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate statusline [install [--wrap CMD] | uninstall]

Prints one line about the jobs of the repository around, or nothing. Claude
Code's JSON may come on stdin. Always exit 0.

  install     show that line in Claude Code: adds it to the user's own settings.
              A line that is there already goes on above it; --wrap CMD names
              another command
  uninstall   put back what stood there before

Installing and uninstalling is for the user.`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, { wrap: { type: 'string' } });
    atMost(positionals, 1);
    const [what] = positionals;
    if (values.wrap !== undefined && what !== 'install') {
      throw usage('--wrap goes with install', values.wrap, 'cc-delegate statusline install --wrap CMD');
    }
    if (what === undefined) return print(context);
    if (what === 'install') return install(context, values.wrap);
    if (what === 'uninstall') return uninstall(context);
    throw usage('no such word', what, 'one of: install, uninstall; or none, to print the line');
  },
};

/** Whatever goes wrong, the client's line stays empty. */
async function print(context: VerbContext): Promise<Output> {
  const payload = await readPayload(context.stdin);
  const text = lineFor(context, payload);
  return { json: { text }, text, exit: EXIT.done };
}

function lineFor({ env, cwd }: VerbContext, payload: Payload | null): string {
  if (env.CC_DELEGATE_WORKER === '1') return '';
  const sessionId = payload?.session ?? env.CLAUDE_CODE_SESSION_ID ?? null;
  const places = payload === null ? [env.CLAUDE_PROJECT_DIR, cwd] : payload.places;
  try {
    for (const place of places) {
      const lines = place === undefined ? null : findLines(place, env);
      if (lines !== null) return currentLine({ lines, sessionId, columns: columnsFrom(env.COLUMNS) });
    }
  } catch (error) {
    // A folder that cannot be read has nothing to show.
    if (!(error instanceof UserError)) throw error;
  }
  return '';
}

interface Payload {
  readonly session: string | null;
  readonly places: readonly string[];
}

/** How long the client may take to send what it has; a terminal is not waited for. */
const PATIENCE_MS = 500;

/** What the client says of its session; null when it says nothing, or nothing that can be understood. */
async function readPayload(stdin: NodeJS.ReadStream): Promise<Payload | null> {
  if (stdin.isTTY) return null;
  const text = await readSome(stdin);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // No payload, or not the client's.
    return null;
  }
  const { session_id: session, cwd } = group(value);
  const { project_dir: project, current_dir: current } = group(group(value).workspace);
  const isPlace = (place: unknown): place is string => typeof place === 'string' && isAbsolute(place);
  return {
    session: typeof session === 'string' ? session : null,
    places: [project, cwd, current].filter(isPlace),
  };
}

function readSome(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = (): void => {
      clearTimeout(timer);
      stdin.pause();
      stdin.unref?.();
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    const timer = setTimeout(done, PATIENCE_MS);
    stdin.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
    stdin.once('end', done);
    stdin.once('error', done);
  });
}

function group(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

async function install(context: VerbContext, wrap: string | undefined): Promise<Output> {
  refuseWindows();
  const done = await installStatusLine(context.env, dirname(context.program), wrap);
  const lines = [
    `${done.changed ? 'the status line is installed' : 'the status line was installed already'} (${done.settings})`,
    ...(done.wraps === null ? [] : [`below the output of: ${done.wraps}`]),
    'take it back with: cc-delegate statusline uninstall',
  ];
  return { json: done, text: lines.join('\n'), exit: EXIT.done };
}

async function uninstall(context: VerbContext): Promise<Output> {
  const outcome = await uninstallStatusLine(context.env);
  return { json: { outcome }, text: UNINSTALLED[outcome], exit: EXIT.done };
}

const UNINSTALLED = {
  removed: 'the status line is as it was before',
  replaced: 'another status line has taken the place of ours and stays',
  absent: 'our status line was not installed',
} as const;

/** The reader is a shell script there is no shell for. */
function refuseWindows(): void {
  if (process.platform !== 'win32') return;
  throw new UserError({
    code: 'not_on_windows',
    what: 'on Windows the status line is put into the settings by hand',
    value: '',
    remedy:
      'add to settings.json: "statusLine": {"type":"command","command":"cc-delegate statusline","refreshInterval":5}',
    exit: EXIT.environment,
  });
}
