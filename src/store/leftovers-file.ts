import * as z from 'zod';
import { writeAtomic } from './atomic-file.ts';
import { type JsonFile, readJsonFile } from './json-file.ts';

const LEFTOVERS_MAX_BYTES = 64 * 1024 * 1024;

const schema = z.array(z.tuple([z.string(), z.string()]));

/**
 * Keeps what set-up and preflight left in the workspace (path and digest): whoever takes the work in after
 * the runner's death must leave it out too. Written last before the worker begins, so that without it the
 * worker has not begun. Throws UserError `storage`.
 */
export function writeLeftovers(path: string, leftovers: ReadonlyMap<string, string>): void {
  writeAtomic(path, JSON.stringify([...leftovers]), { durable: true });
}

export function readLeftovers(path: string): JsonFile<[string, string][]> {
  return readJsonFile(path, schema, LEFTOVERS_MAX_BYTES);
}
