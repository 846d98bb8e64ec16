import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { UserError } from '../../../src/job/user-error.ts';
import { git } from '../../helpers/repository.ts';
import { text } from './random.ts';
import { snapshot } from './scene.ts';

export const read = (repository: string, path: string) => readFileSync(join(repository, path), 'latin1');
export const staged = (repository: string) =>
  git(repository, 'diff', '--cached', '--name-status', '--no-renames');
export const unstaged = (repository: string) => git(repository, 'diff', '--name-status', '--no-renames');
export const line = (at: number, words: string) => text(new Map([[at, words]]));

/** Runs `act` and expects a UserError with this code; the checkout must not have changed. */
export async function refused(
  repository: string,
  code: string,
  act: () => Promise<unknown>,
): Promise<UserError> {
  const before = snapshot(repository);
  const error = await act().then(
    () => new Error('it went through'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UserError)) throw error;
  expect(error.explanation.code).toBe(code);
  expect(snapshot(repository)).toEqual(before);
  return error;
}
