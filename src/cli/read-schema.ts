import * as z from 'zod';
import { usage } from './parse.ts';
import { readTextFile } from './text-input.ts';

/** A JSON schema from a file, known to be one we can check by. Throws UserError (exit 2) with the reason. */
export function readSchema(cwd: string, file: string): unknown {
  const schema = parsed(file, readTextFile(cwd, file));
  try {
    z.fromJSONSchema(schema);
    return schema;
  } catch (error) {
    throw usage('this JSON schema cannot be used', `${file}: ${messageOf(error)}`, 'use plain JSON schema');
  }
}

function parsed(file: string, text: string): z.core.JSONSchema.JSONSchema {
  try {
    return z.record(z.string(), z.json()).parse(JSON.parse(text));
  } catch {
    throw usage('the schema is not a JSON object', file, 'give a file with one JSON schema');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
