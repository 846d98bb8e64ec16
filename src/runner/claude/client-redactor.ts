import type { Redactor } from '../../job/redaction/redactor.ts';
import type { RunningJob } from '../running-job.ts';

type Cleaning = Pick<Redactor, 'text' | 'known'>;

/**
 * What a client's conversation is written down with. Its tools are its own, so what they read has not gone through ours:
 * keys, and the lines of files that are never sent, are taken out here.
 */
export function clientRedactor({
  redactor,
  ownRedactor,
}: Pick<RunningJob, 'redactor' | 'ownRedactor'>): Cleaning {
  return {
    text: (text) => redactor.text(ownRedactor.known(text)),
    known: (text) => redactor.known(ownRedactor.known(text)),
  };
}
