import type { Captured } from './sandbox.ts';

export interface Capture {
  write(chunk: Uint8Array): void;
  result(): Captured;
}

/**
 * Takes a stream of any length in bounded memory: all of it up to `keepBytes`, else its head and its
 * tail (half each) around a note with the true size. A cut never falls inside a UTF-8 character.
 */
export function createCapture(keepBytes: number): Capture {
  const headRoom = Math.ceil(keepBytes / 2);
  const tailRoom = keepBytes - headRoom;
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let tail: Buffer | null = null;
  let tailBytes = 0;
  let totalBytes = 0;

  /** `tail` is a ring: byte n of what came after the head stands at n modulo its size. */
  function writeTail(bytes: Uint8Array): void {
    tail ??= Buffer.alloc(tailRoom);
    const skipped = Math.max(0, bytes.length - tailRoom);
    const last = bytes.subarray(skipped);
    const at = tailRoom === 0 ? 0 : (tailBytes + skipped) % tailRoom;
    const untilEnd = Math.min(last.length, tailRoom - at);
    tail.set(last.subarray(0, untilEnd), at);
    tail.set(last.subarray(untilEnd), 0);
    tailBytes += bytes.length;
  }

  function tailInOrder(): Buffer {
    if (tail === null) return Buffer.alloc(0);
    if (tailBytes <= tailRoom) return tail.subarray(0, tailBytes);
    const at = tailBytes % tailRoom || 0;
    return Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
  }

  return {
    write(chunk) {
      totalBytes += chunk.length;
      const fits = chunk.subarray(0, headRoom - headBytes);
      if (fits.length > 0) {
        // A copy: the stream's own buffer is larger than what is kept of it.
        head.push(Buffer.from(fits));
        headBytes += fits.length;
      }
      if (fits.length < chunk.length) writeTail(chunk.subarray(fits.length));
    },
    result() {
      const start = Buffer.concat(head);
      const end = tailInOrder();
      const truncated = totalBytes > start.length + end.length;
      if (!truncated) return { bytes: Buffer.concat([start, end]), totalBytes, truncated };
      const first = start.subarray(0, start.length - cutAtEnd(start));
      const last = end.subarray(cutAtStart(end));
      const left = totalBytes - first.length - last.length;
      const note = `\n[... ${left} bytes left out, ${totalBytes} bytes in all ...]\n`;
      return { bytes: Buffer.concat([first, Buffer.from(note), last]), totalBytes, truncated };
    },
  };
}

/**
 * Hands chunks on until `limitBytes` have passed, then a note, then nothing, so that a chatty command
 * cannot fill the disk by way of the log.
 */
export function limitLog(log: (chunk: Uint8Array) => void, limitBytes: number): (chunk: Uint8Array) => void {
  let left = limitBytes;
  let open = true;
  return (chunk) => {
    if (!open) return;
    log(chunk.subarray(0, left));
    open = chunk.length <= left;
    left -= Math.min(left, chunk.length);
    if (!open) log(Buffer.from(`\n[the log of this command ends here, after ${limitBytes} bytes]\n`));
  };
}

const CHARACTER_BYTES = 4;

/** How many bytes at the start continue a character that began before. */
function cutAtStart(bytes: Uint8Array): number {
  const limit = Math.min(CHARACTER_BYTES - 1, bytes.length);
  let count = 0;
  while (count < limit && isContinuation(bytes[count])) count += 1;
  return count;
}

/** How many bytes at the end are a character that is not complete. */
function cutAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(CHARACTER_BYTES, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return back < lengthOfCharacter(byte) ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lengthOfCharacter(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
