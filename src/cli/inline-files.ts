import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSmallFile } from '../store/small-file.ts';
import { usage } from './parse.ts';

/** More than any model reads in one question. */
const FILE_MAX_BYTES = 4 * 1024 * 1024;

/**
 * The question with the named files after it, each whole. Throws UserError (exit 2) for one that is not there, is no
 * text, or too big: nothing is ever cut.
 */
export function inlined(cwd: string, question: string, files: readonly string[]): string {
  const parts = files.map((file) => `File ${file}:\n${fenced(contentOf(cwd, file))}`);
  return [question, ...parts].join('\n\n');
}

function contentOf(cwd: string, file: string): string {
  const path = resolve(cwd, file);
  // A link is as good a name as any other, where a person gives it.
  const found = readSmallFile(existsSync(path) ? realpathSync(path) : path, FILE_MAX_BYTES);
  if (found.kind === 'ok') return found.text;
  const why = found.kind === 'absent' ? 'there is no such file' : found.why;
  throw usage(`a file cannot be given with the question: ${why}`, file, 'name text files that exist');
}

/** A fence that is longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
