import { isJobId, type JobId } from '../job/ids.ts';
import { type CommonPlace, line, refsGit } from './git.ts';

/** What jobs have in a repository's refs, whether their records are still there or not. */
export interface JobRefs {
  readonly branches: readonly { readonly branch: string; readonly id: JobId; readonly at: string }[];
  /** The jobs that keep commits alive below `refs/delegate/`. */
  readonly pinned: readonly JobId[];
}

/** Reads only. A branch of the user's that merely begins like ours is not among them. */
export async function listJobRefs(repository: CommonPlace): Promise<JobRefs> {
  const patterns = ['refs/delegate/', 'refs/heads/delegate/', 'refs/heads/cc-delegate/'];
  const answer = await refsGit(repository, [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    ...patterns,
  ]);
  const refs = line(answer)
    .split('\n')
    .flatMap((each) => parse(each) ?? []);
  return {
    branches: refs.flatMap(({ branch, id, at }) => (branch === null ? [] : [{ branch, id, at }])),
    pinned: [...new Set(refs.filter(({ branch }) => branch === null).map(({ id }) => id))],
  };
}

function parse(
  text: string,
): { readonly branch: string | null; readonly id: JobId; readonly at: string } | null {
  const [at = '', ref = ''] = text.split(' ');
  const branch = /^refs\/heads\/((?:cc-)?delegate\/([^/]+))$/.exec(ref);
  const id = branch?.[2] ?? /^refs\/delegate\/([^/]+)\//.exec(ref)?.[1];
  return id !== undefined && isJobId(id) ? { branch: branch?.[1] ?? null, id, at } : null;
}
