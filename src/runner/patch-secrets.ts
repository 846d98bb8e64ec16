import { createReadStream } from 'node:fs';
import type { Redactor } from '../job/redaction/redactor.ts';
import { PatchSecrets, type SecretLike } from '../job/redaction/secret-like.ts';

/**
 * What a patch adds that looks like a secret, for a reviewer to see: the patch itself is never altered. Reads at
 * most the first 50 MB. Rejects when the file cannot be read.
 */
export async function patchSecrets(file: string, redactor: Redactor): Promise<SecretLike[]> {
  const reader = new PatchSecrets(redactor);
  for await (const chunk of createReadStream(file, { encoding: 'latin1', end: MOST_BYTES })) {
    reader.write(chunk);
  }
  return reader.end();
}

const MOST_BYTES = 50 * 1024 * 1024;
