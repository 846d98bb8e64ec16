import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoopVerdict } from '../job/loop.ts';
import { type CallPrint, NO_STAGNATION, noteProgress } from '../job/stagnation.ts';
import { fields, hostGitArgv } from '../workspace/git.ts';
import type { Prepared } from './prepare.ts';

/** How the workspace's files stand: how many differ from where the worker began, and a print of them. */
export interface Look {
  readonly changed: number;
  readonly print: string;
}

/** Watches whether a worker gets anywhere. A shell changes files too, so they are looked at before a word is said. */
export class Stagnation {
  readonly #look: () => Promise<Look | null>;
  #memory = NO_STAGNATION;
  #touched = false;
  #last: Look | null = null;

  /** `look` gives null where nothing can be said: then the worker is believed to be at work. */
  constructor(look: () => Promise<Look | null>) {
    this.#look = look;
  }

  /** A file tool has changed something. */
  touched(): void {
    this.#touched = true;
  }

  async afterRound(calls: readonly CallPrint[]): Promise<LoopVerdict> {
    const before = this.#memory;
    const { memory, verdict } = noteProgress(before, { calls, changed: this.#touched });
    this.#touched = false;
    this.#memory = memory;
    if (verdict.kind === 'go') return verdict;
    const now = await this.#look();
    if (now !== null && !this.#movedOn(now, verdict.about, verdict.kind)) {
      this.#last = now;
      return verdict;
    }
    this.#last = now;
    // That a file has changed at some time says nothing on what was repeated since.
    const isOldNews = verdict.about === 'unchanged';
    this.#memory = isOldNews
      ? { ...memory, changed: true }
      : noteProgress(before, { calls, changed: true }).memory;
    return { kind: 'go' };
  }

  /** A warning costs little, so only a stop of what is repeated needs two looks that are the same. */
  #movedOn(now: Look, about: 'unchanged' | 'repeated', kind: 'warn' | 'stop'): boolean {
    if (about === 'unchanged') return now.changed > 0;
    return kind === 'stop' && now.print !== this.#last?.print;
  }
}

const LOOK_LIMIT_MS = 30_000;
const LIST_LIMIT_BYTES = 4 * 1024 * 1024;

/** Asks git in the sandbox, since the workspace's git is the worker's. What set-up left behind does not count. */
export function workspaceLook(
  { sandbox, leftovers }: Pick<Prepared, 'sandbox' | 'leftovers'>,
  work: string,
): () => Promise<Look | null> {
  return async () => {
    const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'];
    const { argv, env } = hostGitArgv({ gitDir: join(work, '.git'), workTree: work, args });
    const limits = { timeoutMs: LOOK_LIMIT_MS, keepBytes: LIST_LIMIT_BYTES, sockets: true };
    const result = await sandbox.run({ argv, env, cwd: work, ...limits });
    if (result.exitCode !== 0 || result.stdout.truncated) return null;
    const entries = fields(Buffer.from(result.stdout.bytes)).map((field) => field.toString('utf8'));
    const changed = entries.filter((entry) => !leftovers.has(entry.slice(3).replace(/\/$/, '')));
    const hash = createHash('sha256');
    for (const entry of changed) hash.update(`${entry} ${await timeOf(join(work, entry.slice(3)))}\0`);
    return { changed: changed.length, print: hash.digest('hex') };
  };
}

async function timeOf(path: string): Promise<string> {
  const stat = await lstat(path).catch(() => null);
  return stat === null ? 'gone' : `${stat.mtimeMs} ${stat.size}`;
}
