import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MergeAnswer, type MergeQuestion, mergeKey } from '../../job/apply-plan.ts';
import { fields, line, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { Scratch } from './scratch.ts';

/** Merges each question's three contents line by line. What comes out is an object in the scratch folder. */
export async function mergeAll(
  repository: Repository,
  questions: readonly MergeQuestion[],
  scratch: Scratch,
): Promise<Map<string, MergeAnswer>> {
  const drivers = await mergeDrivers(repository, questions);
  const answers = new Map<string, MergeAnswer>();
  for (const question of questions) {
    const driver = drivers.get(question.path);
    const answer: MergeAnswer =
      driver === undefined
        ? await mergeLines(repository, question, scratch)
        : { kind: 'conflict', why: `both changed it, and its merge attribute is ${driver}` };
    answers.set(mergeKey(question), answer);
  }
  return answers;
}

/** Paths whose attributes forbid or replace the merge by lines, with the attribute's value. */
async function mergeDrivers(
  repository: Repository,
  questions: readonly MergeQuestion[],
): Promise<Map<string, string>> {
  if (questions.length === 0) return new Map();
  const input = Buffer.from(questions.map(({ path }) => `${path}\0`).join(''));
  const answer = await userGit(repository, ['check-attr', '-z', '--stdin', 'merge'], { input });
  const parts = fields(answer.stdout).map((part) => part.toString('utf8'));
  const drivers = new Map<string, string>();
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path, , value] = parts.slice(at, at + 3);
    if (path === undefined || value === undefined) continue;
    if (!['unspecified', 'set', 'text'].includes(value)) drivers.set(path, value);
  }
  return drivers;
}

/** The label by which a conflict is found in what merge-file prints. */
const LABEL = 'cc-delegate-yours';

async function mergeLines(
  repository: Repository,
  question: MergeQuestion,
  scratch: Scratch,
): Promise<MergeAnswer> {
  const files: string[] = [];
  for (const side of ['ours', 'base', 'theirs'] as const) {
    const file = join(scratch.folder, side);
    const content = await userGit(repository, ['cat-file', 'blob', question[side]], { env: scratch.objects });
    await writeFile(file, content.stdout, { mode: 0o600 });
    files.push(file);
  }
  // The exit code is the number of conflicts, at most 127; 255 is an error (git-merge-file(1)).
  const accept = [...Array(128).keys(), 255];
  const labels = ['-L', LABEL, '-L', 'base', '-L', 'result'];
  const merged = await userGit(repository, ['merge-file', '-p', '-q', ...labels, ...files], { accept });
  if (merged.exitCode === 255) return { kind: 'conflict', why: 'both changed it, and it is not text' };
  if (merged.exitCode > 0) return { kind: 'conflict', why: conflictLine(merged.stdout) };
  const args = ['hash-object', '-w', '--stdin', '--no-filters'];
  const stored = await userGit(repository, args, { env: scratch.objects, input: merged.stdout });
  return { kind: 'merged', oid: line(stored) };
}

function conflictLine(merged: Buffer): string {
  const at = merged.indexOf(`<<<<<<< ${LABEL}`);
  const number = merged.subarray(0, at).toString('latin1').split('\n').length;
  return `near line ${number}: both changed these lines`;
}
