import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from './storage-error.ts';

export type SmallFile =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * Reads a regular UTF-8 file of at most `maxBytes`. A symbolic link, FIFO, folder, device, larger file or
 * invalid UTF-8 is `unreadable`, and none of them can make the reader hang or fill its memory.
 */
export function readSmallFile(path: string, maxBytes: number): SmallFile {
  try {
    // Windows has neither flag, nor the kinds of file they are against.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const file = openSync(path, flags);
    try {
      return readOpen(file, maxBytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    return {
      kind: 'unreadable',
      why: code === 'ELOOP' ? 'it is a symbolic link' : `cannot be read (${code})`,
    };
  }
}

function readOpen(file: number, maxBytes: number): SmallFile {
  const status = fstatSync(file);
  if (!status.isFile()) return { kind: 'unreadable', why: 'it is not a regular file' };
  // One byte more than allowed, so that a file that grows meanwhile is noticed as well.
  const buffer = Buffer.alloc(Math.min(status.size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const got = readSync(file, buffer, length, buffer.length - length, null);
    if (got === 0) break;
    length += got;
  }
  if (status.size > maxBytes || length > maxBytes) {
    return { kind: 'unreadable', why: `it is larger than ${maxBytes} bytes` };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      buffer.subarray(0, length),
    );
    return { kind: 'ok', text };
  } catch {
    // TextDecoder has one reason to throw.
    return { kind: 'unreadable', why: 'it is not UTF-8' };
  }
}
