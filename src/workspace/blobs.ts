import { hostGit } from './git.ts';

const ABSENT = /^0+$/;

/**
 * The contents of blobs by their ids, from a git directory of ours. Missing in the answer is what is over
 * `mostBytes`, and what is no blob (a submodule's commit).
 */
export async function readBlobs(
  gitDir: string,
  ids: Iterable<string>,
  mostBytes: number,
): Promise<ReadonlyMap<string, Buffer>> {
  const wanted = [...new Set(ids)].filter((id) => !ABSENT.test(id));
  const small = await smallBlobs(gitDir, wanted, mostBytes);
  if (small.length === 0) return new Map();
  const input = Buffer.from(`${small.join('\n')}\n`);
  const { stdout } = await hostGit({ gitDir, args: ['cat-file', '--batch'] }, { input });
  const found = new Map<string, Buffer>();
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at);
    const [id = '', , size = '0'] = stdout.subarray(at, end).toString('latin1').split(' ');
    const start = end + 1;
    found.set(id, stdout.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return found;
}

/** `<id> <type> <size>`, or `<id> missing`. */
async function smallBlobs(gitDir: string, ids: readonly string[], mostBytes: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const input = Buffer.from(`${ids.join('\n')}\n`);
  const { stdout } = await hostGit({ gitDir, args: ['cat-file', '--batch-check'] }, { input });
  return stdout
    .toString('latin1')
    .split('\n')
    .flatMap((answer) => {
      const [id = '', type, size] = answer.split(' ');
      return type === 'blob' && Number(size) <= mostBytes ? [id] : [];
    });
}

/** null for what no reader would call text. */
export function asText(bytes: Buffer | undefined): string | null {
  return bytes === undefined || bytes.includes(0) ? null : bytes.toString('utf8');
}
