import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { refuseUnshared } from './given-files.ts';
import { usage } from './parse.ts';
import type { VerbContext } from './verb.ts';

/** What a person wants to say, from one of three places. Taken verbatim; never through a shell. */
export interface TextSource {
  /** For messages: `task`, `answer`, … */
  readonly name: string;
  readonly words: readonly string[];
  readonly file: string | undefined;
  readonly fileOption: string;
}

/**
 * The text from the arguments, from a file, or from stdin with `-`. Missing or empty is an error (exit 2), and so is a
 * file that a model may not hand over (exit 5).
 */
export async function readText(context: VerbContext, source: TextSource): Promise<string> {
  const text = await rawText(context, source);
  if (text.trim() === '') {
    throw usage(
      `the ${source.name} is empty`,
      '',
      `give it as an argument, with --${source.fileOption} FILE, or - for stdin`,
    );
  }
  return text;
}

async function rawText(context: VerbContext, source: TextSource): Promise<string> {
  const { words, file } = source;
  if (file !== undefined && words.length > 0) {
    throw usage(
      `the ${source.name} is given twice`,
      words.join(' '),
      `give the text or --${source.fileOption}, not both`,
    );
  }
  if (file === '-' || (words.length === 1 && words[0] === '-')) return readStdin(context.stdin);
  await refuseUnshared(context, [file]);
  return file === undefined ? words.join(' ') : readTextFile(context.cwd, file);
}

/** A UTF-8 file named by the user. Throws UserError exit 2 when it cannot be read. */
export function readTextFile(cwd: string, file: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new UserError(
      {
        code: 'no_file',
        what: `a file could not be read (${code})`,
        value: file,
        remedy: 'check the path',
        exit: EXIT.usage,
      },
      { cause: error },
    );
  }
}

async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
