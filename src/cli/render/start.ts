import { count, formatDuration, trimLine } from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { JobRecord, Preflight } from '../../job/record.ts';
import { isTerminal } from '../../job/states.ts';
import { sandboxWords } from '../../job/summary.ts';
import type { ModelResolution } from '../../provider/resolve-model.ts';

/** What is said of a job beside its record. */
export interface Handed {
  readonly model: ModelResolution;
  readonly notSeen: { readonly changed: readonly string[]; readonly untracked: readonly string[] };
}

/** What `start` prints: what was handed over, on which terms, and what comes next. */
export function renderStart(record: JobRecord, plan: Handed, lacks: readonly string[]): string {
  const lines = [
    `${'delegated'.padEnd(10)} ${record.id}   ${trimLine(record.title, 45)}`,
    field('model', `${modelName(record)} · ${price(plan)} · cap $${record.limits.budgetUsd.toFixed(2)}`),
    field('workspace', `clone of ${record.base.slice(0, 7)} on ${record.branch}`),
    ...(record.turn > 1 ? [field('turn', `${record.turn} of ${record.conversationId}`)] : []),
    field('sandbox', sandboxWords(record)),
    field('preflight', preflight(record)),
  ];
  const unseen = plan.notSeen.changed.length + plan.notSeen.untracked.length;
  if (unseen > 0) {
    const names = [...plan.notSeen.changed, ...plan.notSeen.untracked].slice(0, 3).join(', ');
    lines.push(field('not seen', `${count(unseen, 'uncommitted file')} (${names}): commit what it needs`));
  }
  for (const lack of lacks) lines.push(field('note', lack));
  lines.push(field('next', next(record)));
  return lines.join('\n');
}

/** `qwen3-coder (profile cheap, default)`: what comes after the last slash or colon is what people call it. */
function modelName({ model, modelSource }: JobRecord): string {
  const source = modelSource.replace('profile:', 'profile ').replace(' (', ', ').replace(')', '');
  return `${model.split(/[/:]/).at(-1) ?? model} (${source})`;
}

function price({ model }: Handed): string {
  const { prices } = model.primary.endpoint;
  if (prices === null) return 'price unknown';
  return `$${prices.input.toFixed(2)} in / $${prices.output.toFixed(2)} out per M`;
}

function preflight({ gate, preflight: seen }: JobRecord): string {
  if (gate.test === null) return 'no test command: the result will be unproven';
  if (seen === null) return `still running: ${gate.test}`;
  return `${verdictWords(seen)}, ${formatDuration(seen.durationSeconds)}: ${gate.test}`;
}

function verdictWords(seen: Preflight): string {
  switch (seen.verdict) {
    case 'passes':
      return 'passes before the work';
    case 'fails':
      return `fails before the work (exit ${seen.exitCode ?? '?'})`;
    case 'timed_out':
      return 'did not end in time';
    case 'runner_broken':
      return `cannot run: ${seen.note}`;
    case 'not_run':
      return 'not run';
  }
}

function next(record: JobRecord): string {
  const id = shortId(record.id);
  if (isTerminal(record.state)) return `it has ended: cc-delegate result ${id}`;
  return `cc-delegate status ${id} · wait ${id} · steer ${id} "…"`;
}

function field(name: string, value: string): string {
  return `${name.padEnd(10)} ${trimLine(value, 69)}`;
}
