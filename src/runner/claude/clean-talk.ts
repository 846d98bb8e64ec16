import type { EngineHost } from '../../engine/engine.ts';
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

/** The same for what is told of its tools as they end. */
export function cleanEvents(
  { ownRedactor }: Pick<RunningJob, 'ownRedactor'>,
  emit: EngineHost['emit'],
): EngineHost['emit'] {
  return (event) =>
    emit(event.t === 'tool_end' ? { ...event, summary: ownRedactor.known(event.summary) } : event);
}
