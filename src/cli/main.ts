import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeControls, stripControls } from '../job/format.ts';
import { EXIT, type ExitCode, UserError } from '../job/user-error.ts';
import { VERSION } from '../job/version.ts';
import { overview } from './overview.ts';
import { requirePermission, watchSettings } from './permission.ts';
import type { VerbContext } from './verb.ts';
import { loadVerb } from './verbs.ts';

/** The one place that prints and sets the exit code. */
async function main(): Promise<ExitCode> {
  const [name, ...args] = process.argv.slice(2);
  const asked = args.slice(0, args.indexOf('--') === -1 ? args.length : args.indexOf('--'));
  const json = asked.includes('--json');
  try {
    if (name === '--version') return print(VERSION);
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') return print(overview());
    const verb = await loadVerb(name);
    if (asked.includes('--help') || asked.includes('-h')) return print(verb.help);
    const consent = await requirePermission([name, ...args], process.env);
    const shareSettings = watchSettings(name, process.env);
    const output = await verb.run({ ...contextOf(args, json), consent });
    await shareSettings();
    if (json) printJson(output.json);
    else if (output.text !== '') print(output.text);
    return output.exit;
  } catch (error) {
    return explain(error, json);
  }
}

function contextOf(args: readonly string[], json: boolean): Omit<VerbContext, 'consent'> {
  return {
    args,
    json,
    cwd: resolve(repoOption(args) ?? '.'),
    env: process.env,
    stdin: process.stdin,
    program: dirname(fileURLToPath(import.meta.url)),
    stdout: (text) => void process.stdout.write(text),
    stderr: (line) => void process.stderr.write(`${stripControls(line)}\n`),
  };
}

function repoOption(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--repo' || arg.startsWith('--repo=') || arg === '--');
  const arg = args[at];
  if (arg === undefined || arg === '--') return undefined;
  return arg === '--repo' ? args[at + 1] : arg.slice('--repo='.length);
}

/** Whatever a worker had a hand in, names of files and branches too: nothing steers a terminal. */
function print(text: string): ExitCode {
  process.stdout.write(`${stripControls(text)}\n`);
  return EXIT.done;
}

/** The same values for a program, escaped. */
function printJson(value: unknown): void {
  process.stdout.write(`${escapeControls(JSON.stringify(value))}\n`);
}

function explain(error: unknown, json: boolean): ExitCode {
  if (error instanceof UserError) {
    const { code, remedy, exit } = error.explanation;
    process.stderr.write(`cc-delegate: ${stripControls(error.message)}\n`);
    if (json) printJson({ error: { code, message: error.message, remedy } });
    return exit;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `cc-delegate: a bug of ours, sorry; please report it with these lines\n${stripControls(stack)}\n`,
  );
  if (json) printJson({ error: { code: 'bug', message: String(error), remedy: 'please report it' } });
  return EXIT.bug;
}

// A reader that has seen enough (`cc-delegate log | head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await main();
