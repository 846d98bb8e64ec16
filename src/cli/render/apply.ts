import type { ApplyPlan, FilePlan } from '../../job/apply-plan.ts';
import { count, trimLine, visiblePath } from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';

const WIDTH = 80;

/** What apply would do: clean paths as a number, everything else by name. */
export function renderForecast(record: JobRecord, plan: ApplyPlan, head: string | null): string {
  const at = head === null ? 'a branch without a commit' : head.slice(0, 7);
  return [
    `${shortId(record.id)} on ${at}`,
    ...details(plan),
    closing(record, plan),
    'nothing was changed',
  ].join('\n');
}

/** What apply did. */
export function renderApplied(record: JobRecord, plan: ApplyPlan, commit: string | null): string {
  const id = shortId(record.id);
  if (plan.verdict === 'already_applied') return `${id} is applied already; nothing was changed`;
  if (plan.verdict === 'conflict') {
    return [
      `${id} cannot be applied as it stands`,
      ...details(plan),
      closing(record, plan),
      'nothing was changed',
    ].join('\n');
  }
  const over = plan.files.filter(({ note }) => note === 'unstaged').length;
  const where =
    commit === null ? stagedWords(plan.files.length - over, over) : `committed as ${commit.slice(0, 8)}`;
  const kept = plan.files.some(({ note }) => note === 'your_edits_kept') ? '; your own edits kept' : '';
  return `applied ${id} → ${count(plan.files.length, 'file')} ${where}${kept}.   undo: cc-delegate undo ${id}`;
}

function stagedWords(staged: number, over: number): string {
  if (over === 0) return 'staged';
  return `brought, ${staged} staged, ${over} over your own uncommitted work and not`;
}

function details(plan: ApplyPlan): string[] {
  const clean = plan.files.filter(({ note }) => note === 'clean').length;
  const lines = clean > 0 ? [field('clean', count(clean, 'file'))] : [];
  for (const file of plan.files) {
    const words = wordsOf(file);
    if (words) lines.push(field(words.name, `${visiblePath(file.path)}${words.text}`));
  }
  if (plan.controlPlane.length > 0) {
    lines.push(
      field('look twice', `${plan.controlPlane.map(visiblePath).join(', ')} (--allow-control-plane)`),
    );
  }
  return lines;
}

function wordsOf(file: FilePlan): { name: string; text: string } | null {
  switch (file.note) {
    case 'clean':
      return null;
    case 'your_edits_kept':
      return { name: 'your edits', text: ' has uncommitted work in other lines: kept' };
    case 'unstaged':
      return { name: 'not staged', text: ': over your own uncommitted work' };
    case 'already':
      return { name: 'already', text: ' is so already' };
    case 'conflict':
      return { name: 'conflict', text: `: ${file.why ?? 'both changed it'}` };
  }
}

function closing(record: JobRecord, plan: ApplyPlan): string {
  const id = shortId(record.id);
  switch (plan.verdict) {
    case 'clean':
      return field('next', `cc-delegate apply ${id}`);
    case 'already_applied':
      return field('next', 'nothing to do: it is applied');
    case 'conflict':
      return field('next', `settle your own edits there (commit, or take them away), then apply ${id}`);
  }
}

function field(name: string, value: string): string {
  return `  ${name.padEnd(11)} ${trimLine(value, WIDTH - 14)}`;
}
