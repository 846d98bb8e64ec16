import { askedFor, importsOf, type TextFile } from '../job/asked-for.ts';
import { isCode, isTestFile, mayBePart } from '../job/test-files.ts';
import { asText, blobSizes, inParts, readBlobs } from '../workspace/blobs.ts';
import type { RawChange } from '../workspace/patch.ts';
import { readable } from '../workspace/raw-path.ts';

/** A bigger file is no test anybody wrote by hand. */
export const LARGEST_READ_BYTES = 512 * 1024;
export const MOST_AT_ONCE_BYTES = 32 * 1024 * 1024;
/** Of the base's tests; beyond it nothing new is taken to be asked for. */
const MOST_READ = 5000;

interface Blob {
  readonly path: string;
  readonly object: string;
}

/**
 * The new files that lie where tests do and are none: a helper that a test of the base imports and that was not there,
 * or a source in a folder named `spec` that the work's sources import. Taken away like a new test, they would make
 * honest work look like a trick. They can do no more than any source can.
 */
export async function askedForIn(
  gitDir: string,
  changes: readonly RawChange[],
  base: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const added = changes.flatMap(({ path, status, after }) => {
    const part = status === 'A' && after.mode !== '120000' ? mayBePart(readable(path)) : null;
    return part === null ? [] : [{ path: readable(path), object: after.object, ...part }];
  });
  if (added.length === 0) return new Set();
  const texts = new Map<string, TextFile>();
  await eachText(gitDir, added, (file) => texts.set(file.path, file));
  const ofBase = [...base].flatMap(([path, object]) =>
    isTestFile(path) && isCode(path) ? [{ path, object }] : [],
  );
  const ofWork = changes.flatMap(({ path, status, after }) =>
    status !== 'D' && isCode(readable(path)) && !isTestFile(readable(path))
      ? [{ path: readable(path), object: after.object }]
      : [],
  );
  const byBase = await importsIn(gitDir, ofBase);
  // A worker's source could name a new test only to keep it: not where a runner picks up what it finds.
  const sources = added.filter(({ isTestsFolder }) => !isTestsFolder);
  const byWork = sources.length === 0 ? new Set<string>() : await importsIn(gitDir, ofWork);
  const textsOf = (files: readonly Blob[]): TextFile[] => files.flatMap(({ path }) => texts.get(path) ?? []);
  return new Set([...askedFor(byBase, textsOf(added)), ...askedFor(byWork, textsOf(sources))]);
}

async function importsIn(gitDir: string, files: readonly Blob[]): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  if (files.length > MOST_READ) return names;
  await eachText(gitDir, files, (file) => {
    for (const name of importsOf(file)) names.add(name);
  });
  return names;
}

/** A part of them at a time: all texts of a big project are more than a process may hold. */
async function eachText(
  gitDir: string,
  files: readonly Blob[],
  use: (file: TextFile) => void,
): Promise<void> {
  const ids = files.map(({ object }) => object);
  const sizes = await blobSizes(gitDir, ids);
  const sizeOf = ({ object }: Blob): number => Math.min(sizes.get(object) ?? 0, LARGEST_READ_BYTES);
  for (const part of inParts(files, sizeOf, MOST_AT_ONCE_BYTES)) {
    const wanted = part.map(({ object }) => object);
    const blobs = await readBlobs(gitDir, wanted, LARGEST_READ_BYTES, sizes);
    for (const { path, object } of part) {
      const text = asText(blobs.get(object));
      if (text !== null) use({ path, text });
    }
  }
}
