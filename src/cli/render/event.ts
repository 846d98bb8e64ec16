import { formatDuration, formatMoney, oneLine, trimLine } from '../../job/format.ts';
import type { Event } from '../../store/events.ts';

/** One event as one line of 80 columns; null for those that only programs need (`--json` has them all). */
export function renderEvent(event: Event): string | null {
  const words = wordsOf(event);
  if (words === null) return null;
  const time = /T(\d\d:\d\d:\d\d)/.exec(plain(event.at))?.[1] ?? '??:??:??';
  const [name, text] = words;
  return trimLine(`${time}  ${oneLine(name).padEnd(11)}  ${oneLine(text)}`, 80);
}

function wordsOf(event: Event): readonly [string, string] | null {
  const { t } = event;
  switch (t) {
    case 'step_end':
    case 'tool_start':
    case 'spend':
    case 'touched':
      return null;
    case 'step_start':
      return ['step', `${plain(event.step)}  ${plain(event.model)}${agentOf(event)}`];
    case 'tool_end':
      return [plain(event.tool), `${event.ok === true ? '' : 'failed: '}${plain(event.summary)}`];
    case 'text':
      return ['says', `${plain(event.text)}${agentOf(event)}`];
    case 'sent_back':
      return ['sent back', plain(event.reason)];
    case 'grading':
      return ['grading', gradingWords(event)];
    case 'steer':
      return ['steer', plain(event.text)];
    case 'question':
      return ['asks', `${plain(event.id)}: ${plain(event.message)}`];
    case 'preflight':
    case 'gate':
      return [t, testWords(event)];
    case 'retry':
      return ['retry', `${plain(event.kind)}, in ${formatDuration(Number(event.waitMs) / 1000)}`];
    case 'ended':
      return [
        'ended',
        [event.state, event.reason]
          .filter((part) => part !== null)
          .map(plain)
          .join(' '),
      ];
    default:
      return [plain(t), fields(event)];
  }
}

/** Whose it is, where it is not the worker's own. */
function agentOf({ agent }: Event): string {
  return typeof agent === 'string' && agent !== 'main' ? `  (${agent})` : '';
}

function gradingWords({ kind, verdict, message }: Event): string {
  if (kind !== 'verdict') return `${plain(kind)} ${typeof message === 'string' ? message : ''}`.trim();
  const { verdict: word, explanation } = verdict as { verdict: string; explanation: string };
  return `${plain(word)}: ${plain(explanation)}`;
}

function testWords(event: Event): string {
  const seen = event.t === 'gate' ? (event.after as Event | null) : event;
  if (!seen) return event.t === 'gate' ? 'no test command' : 'not run';
  const verdict = event.t === 'gate' ? '' : `${plain(event.verdict)} `;
  return `${verdict}exit ${plain(seen.exitCode)} (${formatDuration(Number(seen.durationSeconds))})`;
}

function fields({ at: _at, t: _t, agent: _agent, ...rest }: Event): string {
  return Object.entries(rest)
    .filter(([, value]) => value !== null && value !== '' && value !== undefined)
    .map(([name, value]) => (name === 'usd' ? formatMoney(Number(value)) : `${name}=${plain(value)}`))
    .join(' ');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
