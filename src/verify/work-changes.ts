import { join } from 'node:path';
import { type KeptPlan, type Put, planKept, type SeenChange } from '../job/protected.ts';
import { judgesOf } from '../job/test-command.ts';
import { isTestFile, namedIn } from '../job/test-files.ts';
import { asText, readBlobs } from '../workspace/blobs.ts';
import { globToRegExp } from '../workspace/files-glob.ts';
import { listChanges, type RawChange } from '../workspace/patch.ts';
import { listTree, makeReader, type PutBack } from '../workspace/put-back.ts';
import { isAtOrBelow, readable } from '../workspace/raw-path.ts';
import type { Repository } from '../workspace/repository.ts';

/** The collected work, as far as judging it needs it. */
export interface WorkChanges {
  readonly plan: KeptPlan;
  /** What puts the base's judges back, without and with the worker's new tests taken away. */
  readonly kept: PutBack;
  readonly keptAlone: PutBack;
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

/** A bigger file is no test anybody wrote by hand; it is put back all the same, only not read. */
const LARGEST_READ_BYTES = 512 * 1024;

/** Reads what the work changed, and decides what of it the base's tests need as it was. */
export async function readWorkChanges(request: WorkChangesRequest): Promise<WorkChanges> {
  const { repository, base, commit, test, subdirectory } = request;
  const gitDir = join(request.folder, 'reader.git');
  await makeReader(repository, gitDir);
  const changes = await listChanges({ gitDir, base, result: commit });
  const seen = await readTexts(gitDir, changes);
  const files = new Map((await listTree(gitDir, base)).map((file) => [readable(file.path), file.object]));
  const judges = await judgesOf(test ?? '', subdirectory, {
    has: (path) => files.has(path),
    text: async (path) => {
      const object = files.get(path) ?? '';
      return asText((await readBlobs(gitDir, [object], LARGEST_READ_BYTES)).get(object));
    },
  });
  const plan = planKept(seen, {
    judges,
    isProtected: protection(request.protect),
    isNamed: (path) => test !== null && namedIn(test, path, subdirectory),
  });
  const alone = plan.addedTests.map((path): Put => ({ path, put: 'removed' }));
  return {
    plan,
    kept: putBackOf(changes, plan.puts),
    keptAlone: putBackOf(changes, [...plan.puts, ...alone]),
    testsAlone: testsOf(changes),
  };
}

async function readTexts(gitDir: string, changes: readonly RawChange[]): Promise<SeenChange[]> {
  const ids = changes
    .filter(({ binary }) => !binary)
    .flatMap(({ before, after }) => [before.object, after.object]);
  const blobs = await readBlobs(gitDir, ids, LARGEST_READ_BYTES);
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
