import { readConfig } from '../provider/config-file.ts';
import { neverSent } from '../workspace/never-send.ts';
import { neverSentLines } from '../workspace/never-sent-lines.ts';
import type { RunningJob } from './running-job.ts';

/**
 * What the user never lets a model see, as it is set now: the globs for the file tools; and the lines of such files, in the
 * workspace and in the checkout, are from here on taken out of what any tool says. Called before the worker's first
 * step. Throws UserError where the settings cannot be read: then nothing may be sent at all.
 */
export async function withholdNeverSent(job: RunningJob): Promise<readonly string[]> {
  const globs = readConfig(process.env).neverSend ?? [];
  if (globs.length === 0) return globs;
  const roots = [...new Set([job.places.work, job.writer.record.checkout])];
  const { secrets, files, left } = await neverSentLines(roots, neverSent(globs));
  job.ownRedactor.learn(secrets);
  job.log.event('never_send', { globs, files, lines: secrets.length, left: left.slice(0, 20) });
  return globs;
}
