import { expect, it } from 'vitest';
import { blobSizes, inParts } from '../../src/workspace/blobs.ts';
import { git, makeRepository } from '../helpers/repository.ts';

it.each([
  [[], []],
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
  [
    [5, 1, 2],
    [[5], [1, 2]],
  ],
  [
    [1, 5, 1],
    [[1], [5], [1]],
  ],
  [
    [0, 3, 0, 1],
    [[0, 3, 0], [1]],
  ],
])('%j is read in parts of no more than three', (all, parts) => {
  expect(inParts(all, (size) => size, 3)).toEqual(parts);
});

it('knows the size of what is a blob, and of nothing else', async () => {
  const path = makeRepository({ a: 'four', 'b/c': 'x' });
  const [file, folder] = ['HEAD:a', 'HEAD:b'].map((name) => git(path, 'rev-parse', name));
  const ids = [file ?? '', folder ?? '', '0'.repeat(40), 'f'.repeat(40)];
  expect([...(await blobSizes(`${path}/.git`, ids))]).toEqual([[file, 4]]);
});
