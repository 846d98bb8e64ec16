import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * An object directory and everything it borrows from, each once and by its real path. git reads
 * `info/alternates` line by line: `#` is a comment, a relative path is relative to the object
 * directory, a path in double quotes is C-quoted (gitrepository-layout(5)).
 */
export function objectDirectories(first: string): string[] {
  const found: string[] = [];
  const waiting = [first];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    if (!existsSync(folder)) continue;
    const real = realpathSync(folder);
    if (found.includes(real)) continue;
    found.push(real);
    waiting.push(...alternates(real));
  }
  return found;
}

function alternates(folder: string): string[] {
  const file = join(folder, 'info', 'alternates');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((entry) => entry !== '' && !entry.startsWith('#'))
    .map((entry) => resolve(folder, unquote(entry)));
}

function unquote(entry: string): string {
  if (!entry.startsWith('"') || !entry.endsWith('"')) return entry;
  const bytes: number[] = [];
  const body = Buffer.from(entry.slice(1, -1), 'utf8').toString('latin1');
  for (const part of body.matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gs)) {
    const [, octal, escaped, plain] = part;
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push((ESCAPES[escaped ?? ''] ?? escaped ?? plain ?? '').charCodeAt(0));
  }
  return Buffer.from(bytes).toString('utf8');
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
};
