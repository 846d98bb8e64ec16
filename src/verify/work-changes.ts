import { join } from 'node:path';
import {
  type KeptPlan,
  type ProtectionRules,
  type Put,
  planKept,
  type SeenChange,
} from '../job/protected.ts';
import { judgesOf } from '../job/test-command.ts';
import { holdsTests, isTestFile, namedIn } from '../job/test-files.ts';
import { asText, blobSizes, inParts, readBlobs } from '../workspace/blobs.ts';
import { globToRegExp } from '../workspace/files-glob.ts';
import { listChanges, type RawChange } from '../workspace/patch.ts';
import { listTree, makeReader, type PutBack } from '../workspace/put-back.ts';
import { isAtOrBelow, readable } from '../workspace/raw-path.ts';
import { foldersOf } from '../workspace/ready/base-entries.ts';
import type { Repository } from '../workspace/repository.ts';
import { askedForIn, LARGEST_READ_BYTES, MOST_AT_ONCE_BYTES } from './asked-for.ts';

/** The collected work, as far as judging it needs it. */
export interface WorkChanges {
  readonly plan: KeptPlan;
  /** What puts the base's judges back, and takes the worker's new tests away. */
  readonly kept: PutBack;
  /** What of it stays put back where the user allows to edit tests; null: nothing. */
  readonly beyondEdits: PutBack | null;
  /** The work's new and changed tests, to be put on the base; null: there are none. */
  readonly testsAlone: PutBack | null;
}

export interface WorkChangesRequest {
  readonly repository: Repository;
  readonly base: string;
  readonly commit: string;
  /** A folder of our own. */
  readonly folder: string;
  readonly test: string | null;
  /** Where the test command starts, relative to the root. */
  readonly subdirectory: string;
  /** Globs of the user's. */
  readonly protect: readonly string[];
}

/** Reads what the work changed, and decides what of it the base's tests need as it was. */
export async function readWorkChanges(request: WorkChangesRequest): Promise<WorkChanges> {
  const { repository, base, commit, test, subdirectory } = request;
  const gitDir = join(request.folder, 'reader.git');
  await makeReader(repository, gitDir);
  const changes = await listChanges({ gitDir, base, result: commit });
  const files = new Map((await listTree(gitDir, base)).map((file) => [readable(file.path), file.object]));
  const judges = await judgesOf(test ?? '', subdirectory, {
    has: (path) => files.has(path),
    text: async (path) => {
      const object = files.get(path) ?? '';
      return asText((await readBlobs(gitDir, [object], LARGEST_READ_BYTES)).get(object));
    },
  });
  const folders = foldersOf(files.keys());
  const isMissing = (path: string): boolean =>
    [path, ...foldersOf([path])].some((each) => judges.missing.has(each) && !folders.has(each));
  const asked = await askedForIn(gitDir, changes, files);
  const plan = await planOf(gitDir, changes, {
    judges,
    hasBaseTests: judges.scripts.size > 0 || [...files.keys()].some(holdsTests),
    isProtected: protection(request.protect),
    isNamed: (path) => test !== null && (namedIn(test, path, subdirectory) || isMissing(path)),
    isAskedFor: (path) => asked.has(path),
  });
  const alone = plan.addedTests.map((path): Put => ({ path, put: 'removed' }));
  const edits = new Set(plan.testEdits);
  const beyond = plan.puts.filter(({ path }) => !edits.has(path));
  return {
    plan,
    beyondEdits: beyond.length === 0 ? null : putBackOf(changes, beyond),
    kept: putBackOf(changes, [...plan.puts, ...alone]),
    testsAlone: testsOf(changes),
  };
}

/** A part of them at a time, since all texts of a big change are more than a process may hold. Each is judged alone. */
async function planOf(
  gitDir: string,
  changes: readonly RawChange[],
  rules: ProtectionRules,
): Promise<KeptPlan> {
  const sizes = await blobSizes(
    gitDir,
    changes.flatMap(({ before, after }) => [before.object, after.object]),
  );
  const sizeOf = (id: string): number => {
    const size = sizes.get(id) ?? 0;
    return size > LARGEST_READ_BYTES ? 0 : size;
  };
  const plans: KeptPlan[] = [];
  for (const part of inParts(
    changes,
    ({ before, after }) => sizeOf(before.object) + sizeOf(after.object),
    MOST_AT_ONCE_BYTES,
  )) {
    plans.push(planKept(await readTexts(gitDir, part, sizes), rules));
  }
  return {
    puts: plans.flatMap(({ puts }) => puts),
    testEdits: plans.flatMap(({ testEdits }) => testEdits),
    addedTests: plans.flatMap(({ addedTests }) => addedTests),
    ends: plans.flatMap(({ ends }) => ends),
    findings: plans.flatMap(({ findings }) => findings),
  };
}

async function readTexts(
  gitDir: string,
  changes: readonly RawChange[],
  sizes: ReadonlyMap<string, number>,
): Promise<SeenChange[]> {
  const ids = changes.flatMap(({ before, after }) => [before.object, after.object]);
  const blobs = await readBlobs(gitDir, ids, LARGEST_READ_BYTES, sizes);
  return changes.map(({ path, status, before, after }) => ({
    path: readable(path),
    status,
    before: asText(blobs.get(before.object)),
    after: asText(blobs.get(after.object)),
  }));
}

/** A pattern means what it matches and everything below it, as in an ignore file. */
function protection(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => ({
    top: glob.replace(/\/+$/, ''),
    expression: globToRegExp(glob.replace(/\/+$/, '')),
  }));
  return (path) =>
    patterns.some(({ top, expression }) => {
      if (isAtOrBelow(path, [top])) return true;
      const parts = path.split('/');
      return parts.some((_, at) => expression.test(parts.slice(0, at + 1).join('/')));
    });
}

function putBackOf(changes: readonly RawChange[], puts: readonly Put[]): PutBack {
  const byPath = new Map(puts.map((put) => [put.path, put]));
  const chosen = changes.flatMap((change) => {
    const put = byPath.get(readable(change.path));
    return put === undefined ? [] : [{ change, put }];
  });
  return {
    files: chosen
      .filter(({ put }) => put.put === 'base')
      .map(({ change: { path, before } }) => ({ path, ...before })),
    texts: chosen.flatMap(({ change: { path, before, after }, put }) =>
      put.put === 'merged'
        ? [{ path, mode: /^0+$/.test(before.mode) ? after.mode : before.mode, text: put.text }]
        : [],
    ),
    removed: chosen.filter(({ put }) => put.put === 'removed').map(({ change }) => change.path),
  };
}

function testsOf(changes: readonly RawChange[]): PutBack | null {
  const tests = changes.filter(({ path, status }) => status !== 'D' && isTestFile(readable(path)));
  if (tests.length === 0) return null;
  return { files: tests.map(({ path, after }) => ({ path, ...after })), texts: [], removed: [] };
}
