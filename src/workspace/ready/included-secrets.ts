import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { envFileSecrets, type KnownSecret } from '../../job/redaction/known.ts';
import type { IncludeSnapshot } from './include-snapshot.ts';

const MAX_BYTES = 256 * 1024;

/** Secrets in the local files of a snapshot that hold `NAME=value` lines: what no log or transcript may show. */
export async function includedSecrets(snapshot: IncludeSnapshot): Promise<KnownSecret[]> {
  const found: KnownSecret[] = [];
  for (const path of snapshot.files) {
    if (!/^\.env(rc)?(\.|$)|\.env$/.test(basename(path))) continue;
    const bytes = await readFile(join(snapshot.folder, path));
    if (bytes.length <= MAX_BYTES) found.push(...envFileSecrets(bytes.toString('utf8')));
  }
  return found;
}
