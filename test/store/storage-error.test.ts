import { expect, it } from 'vitest';
import { UserError } from '../../src/job/user-error.ts';
import { storageError } from '../../src/store/storage-error.ts';

it('is right for the user’s own files as well as for ours', () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const error = storageError('write', '/home/u/.cc-delegate/config.yaml', full);
  if (!(error instanceof UserError)) throw new Error('no UserError');
  expect(error.explanation).toMatchObject({
    what: 'could not write this file or folder',
    value: '/home/u/.cc-delegate/config.yaml (ENOSPC)',
    exit: 6,
  });
});
