import { count } from '../../job/format.ts';
import type { RubricReceipt } from '../../job/rubric.ts';

/** What the grader said, as names and values of one or two lines: how much is met, and the first that is not. */
export function rubricLines({ verdict, criteria, iterations }: RubricReceipt): [string, string][] {
  const met = criteria.filter(({ pass }) => pass).length;
  const words = verdict === 'satisfied' ? '' : ` · ${verdict.replace('_', ' ')}`;
  const lines: [string, string][] = [
    ['rubric', `${met} of ${criteria.length} criteria met${words} · ${count(iterations, 'grading')}`],
  ];
  const missing = criteria.find(({ pass }) => !pass);
  if (missing !== undefined) lines.push(['', `not met: ${missing.text} (${missing.evidence})`]);
  return lines;
}
