import { hostGit } from './git.ts';

const ABSENT = /^0+$/;

/**
 * The contents of blobs by their ids, from a git directory of ours. Missing in the answer is what is over
 * `mostBytes`, and what is no blob (a submodule's commit). `known`: their sizes, where those were asked for already.
 */
export async function readBlobs(
  gitDir: string,
  ids: Iterable<string>,
  mostBytes: number,
  known?: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, Buffer>> {
  const sizes = known ?? (await blobSizes(gitDir, ids));
  const small = [...new Set(ids)].filter((id) => (sizes.get(id) ?? Number.POSITIVE_INFINITY) <= mostBytes);
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

/** The sizes of blobs by their ids, in bytes. Missing in the answer is what is no blob. */
export async function blobSizes(gitDir: string, ids: Iterable<string>): Promise<ReadonlyMap<string, number>> {
  const wanted = [...new Set(ids)].filter((id) => !ABSENT.test(id));
  if (wanted.length === 0) return new Map();
  const input = Buffer.from(`${wanted.join('\n')}\n`);
  const { stdout } = await hostGit({ gitDir, args: ['cat-file', '--batch-check'] }, { input });
  // `<id> <type> <size>`, or `<id> missing`.
  const answers = stdout.toString('latin1').split('\n');
  return new Map(
    answers.flatMap((answer) => {
      const [id = '', type, size] = answer.split(' ');
      return type === 'blob' ? [[id, Number(size)] as const] : [];
    }),
  );
}

/** Cuts a list into parts of at most `most` together, in order; what is more by itself is a part alone. */
export function inParts<T>(all: readonly T[], sizeOf: (one: T) => number, most: number): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const one of all) {
    const size = sizeOf(one);
    const last = parts.at(-1);
    if (last !== undefined && size <= room) last.push(one);
    else parts.push([one]);
    room = (last !== undefined && size <= room ? room : most) - size;
  }
  return parts;
}

/** null for what no reader would call text. */
export function asText(bytes: Buffer | undefined): string | null {
  return bytes === undefined || bytes.includes(0) ? null : bytes.toString('utf8');
}
