import type { z } from 'zod';
import { readSmallFile } from './small-file.ts';

/** A file of ours that was read and checked, or why it cannot be used. */
export type JsonFile<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads a JSON file of at most `maxBytes` and checks its form. Never throws for what the file holds. */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>, maxBytes: number): JsonFile<T> {
  const file = readSmallFile(path, maxBytes);
  if (file.kind !== 'ok') return file;
  try {
    const parsed = schema.safeParse(JSON.parse(file.text));
    if (parsed.success) return { kind: 'ok', value: parsed.data };
    const issue = parsed.error.issues[0];
    return {
      kind: 'unreadable',
      why: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not of our form'}`,
    };
  } catch {
    // JSON.parse has one reason to throw.
    return { kind: 'unreadable', why: 'it is not JSON' };
  }
}
