import { dirname } from 'node:path';
import * as z from 'zod';
import { isJobId, type JobId } from '../job/ids.ts';
import { PERMISSION_MODES } from '../job/permission-mode.ts';
import { NO_RULES, type Task } from '../job/task.ts';
import { writeAtomic } from './atomic-file.ts';
import { ensureFolder } from './folders.ts';
import { type JsonFile, readJsonFile } from './json-file.ts';

const TASK_MAX_BYTES = 16 * 1024 * 1024;
const count = z.number().int().min(0);

const jobId = z.custom<JobId>((value) => typeof value === 'string' && isJobId(value), 'no job id');

const schema: z.ZodType<Task> = z.object({
  prompt: z.string(),
  done: z.string().nullable(),
  appendSystemPrompt: z.string().nullable(),
  forceStart: z.boolean(),
  passEnv: z.array(z.string()),
  notSeen: z.object({ changed: count, untracked: count }),
  // Not in the tasks of the first versions.
  includeDirty: z.boolean().default(false),
  committed: z.string().nullable().default(null),
  denyTools: z.array(z.string()).default([]),
  allowTools: z.array(z.string()).default([]),
  permissionMode: z.enum(PERMISSION_MODES).nullable().default(null),
  addDirs: z.array(z.string()).default([]),
  clientPrompt: z.enum(['slim', 'full']).default('slim'),
  scope: z.array(z.string()).default([]),
  smallModel: z.string().nullable().default(null),
  passCaps: z.boolean().default(false),
  proof: z
    .object({ protect: z.array(z.string()), allowTestEdits: z.boolean(), mustFailFirst: z.boolean() })
    .default({ ...NO_RULES, protect: [] }),
  unheard: z.array(z.string()).default([]),
  goesOn: z
    .object({ job: jobId, how: z.enum(['followup', 'resume']), start: z.string().nullable() })
    .nullable()
    .default(null),
  ask: z.object({ tools: z.boolean(), schema: z.json() }).nullable().default(null),
});

/** Writes the task beside its run. Durable: the runner starts from it. Throws UserError `storage`. */
export function writeTask(path: string, task: Task): void {
  ensureFolder(dirname(path));
  writeAtomic(path, `${JSON.stringify(task)}\n`, { durable: true });
}

export function readTask(path: string): JsonFile<Task> {
  return readJsonFile(path, schema, TASK_MAX_BYTES);
}
