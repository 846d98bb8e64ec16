import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { JobId } from '../job/ids.ts';

/** The file that says: this folder was made by us, for this job. */
export const MARKER = 'cc-delegate-job.json';

const Marker = z.object({ schema: z.literal(1), id: z.string() });

/** Makes the job's folder (0700) and marks it. Called again it changes nothing. */
export async function markJobFolder(folder: string, id: JobId): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await markedFor(folder)) === id) return;
  // `wx`: a folder that is marked for another job is never taken over.
  const text = `${JSON.stringify({ schema: 1, id })}\n`;
  await writeFile(join(folder, MARKER), text, { flag: 'wx', mode: 0o600 });
}

/** The id of the job a folder was made for; null when it has no marker of ours. */
export async function markedFor(folder: string): Promise<string | null> {
  const file = join(folder, MARKER);
  try {
    if (!(await lstat(file)).isFile()) return null;
    const parsed = Marker.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data.id : null;
  } catch {
    // Missing, unreadable or no JSON: all the same, it is not a marker of ours.
    return null;
  }
}
