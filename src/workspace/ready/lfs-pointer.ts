/** What a pointer of Git LFS names (git-lfs specification, version 1). */
export interface LfsPointer {
  /** sha256 of the content, 64 hexadecimal digits. */
  readonly oid: string;
  /** In bytes. */
  readonly size: number;
}

/** No pointer is longer, says the specification. */
export const POINTER_MAX_BYTES = 1024;

/** null when these bytes are no pointer: then they are the content itself. */
export function parsePointer(bytes: Uint8Array): LfsPointer | null {
  if (bytes.length === 0 || bytes.length > POINTER_MAX_BYTES) return null;
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1\n')) return null;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size ([0-9]{1,15})$/m.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}
