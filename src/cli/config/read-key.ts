import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT, UserError } from '../../job/user-error.ts';
import type { CommandContext } from '../command.ts';

const MAX_BYTES = 65_536;

/**
 * A key from the person: a prompt that shows nothing on a terminal, else the whole of stdin. The line break at the
 * end is not part of it. Throws UserError (exit 2) when the prompt was left without an answer or stdin is too long.
 */
export async function readKey(context: CommandContext, owner: string): Promise<string> {
  const text = context.stdin.isTTY ? await promptHidden(context, owner) : await readAll(context.stdin);
  return text.replace(/\r?\n$/, '');
}

function promptHidden(context: CommandContext, owner: string): Promise<string> {
  // The terminal stays raw while readline reads; what it would echo goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: context.stdin, output: nowhere, terminal: true, historySize: 0 });
  // Only now, when nothing typed is echoed any more, may the person start.
  context.stderr(`Key for ${owner} (nothing is shown as you type or paste; Enter when done):`);
  return new Promise((resolve, reject) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => reject(unfinished('no key was given')));
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
  });
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_BYTES) throw unfinished('stdin is too long for a key');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unfinished(what: string): UserError {
  return new UserError({
    code: 'no_key_given',
    what,
    remedy: 'run it again; nothing was saved',
    exit: EXIT.usage,
  });
}
