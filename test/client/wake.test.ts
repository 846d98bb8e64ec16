import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { NO_RESULT } from '../../src/job/record.ts';
import { deliver } from '../../src/notify/deliver.ts';
import { post } from '../../src/notify/deliveries.ts';
import { noticeOf } from '../../src/notify/notice.ts';
import { makeRepository } from '../helpers/repository.ts';
import { askingRecord, jobOf } from '../notify/jobs.ts';
import { clientHome, needsClient } from './client.ts';
import { type Supervisor, startSupervisor } from './endpoint.ts';
import { openInteractive } from './interactive.ts';
import { makePlugin } from './plugin.ts';

const LONG = { timeout: 60_000, interval: 50 };

/** Every question and every end the model was told, request by request. */
function told(supervisor: Supervisor): string[] {
  return supervisor.mainRequests().flatMap(({ turn, toolResults }) => {
    const text = [turn, ...toolResults.map((result) => result.text)].join('\n');
    return [...text.matchAll(/^\[delegate\] (\w{6}) (asks|succeeded)/gm)].map(([, id = '']) => id);
  });
}

async function open(test: Pick<TestContext, 'skip'>, reply: () => Promise<string> | string) {
  const client = needsClient(test);
  const supervisor = await startSupervisor(reply);
  const repo = makeRepository();
  const home = clientHome({ client, url: supervisor.url, trusted: [repo] });
  const session = await openInteractive(home, { cwd: repo, plugin: makePlugin() });
  const sessions = join(home.userDirectory, 'sessions');
  const ids = () => readdirSync(sessions).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
  await vi.waitUntil(() => ids().length > 0, LONG);
  return { supervisor, repo, home, session, ids };
}

describe('the real client', () => {
  it('is woken once while idle, with a half-typed draft, when a worker asks and when it ends; also after /clear', async (test) => {
    const { supervisor, repo, home, session, ids } = await open(test, () => 'noted');
    await session.submit('hello');
    await vi.waitUntil(() => supervisor.mainRequests().length === 1, LONG);
    await session.waitForScreen(/noted/);
    session.type('half a dra');
    const [first = ''] = ids();
    const job = jobOf(repo, first, home.userDirectory);
    const asking = askingRecord(job, 'Keep the v1 API?');
    deliver(home.userDirectory, asking);
    await vi.waitUntil(() => supervisor.mainRequests().length === 2, LONG);
    expect(supervisor.mainRequests()[1]?.turn).toContain(`[delegate] ${job.id.slice(-6)} asks (question q1`);
    expect(session.screen()).toContain('half a dra');
    // The second ring, and whatever the end of the turn brings, says nothing new.
    await vi.waitUntil(() => session.screen().match(/noted/g)?.length === 2, LONG);
    deliver(home.userDirectory, { ...asking, state: 'succeeded', question: null, result: NO_RESULT });
    await vi.waitUntil(() => supervisor.mainRequests().length === 3, LONG);
    expect(told(supervisor)).toEqual([job.id.slice(-6), job.id.slice(-6)]);

    session.keys('C-u');
    const later = jobOf(repo, first, home.userDirectory);
    await session.submit('/clear');
    // Until its hook has ended, the new session is told by that one.
    await session.waitForScreen(/1 job running/);
    expect(ids()).toHaveLength(2);
    deliver(home.userDirectory, askingRecord(later, 'And v2?'));
    await vi.waitUntil(() => told(supervisor).at(-1) === later.id.slice(-6), LONG);
    expect(told(supervisor).filter((id) => id === later.id.slice(-6))).toHaveLength(1);
  });

  it('takes what a lost bell would have brought at the end of the turn, once', async (test) => {
    let release = (): void => undefined;
    const held = new Promise<void>((settle) => {
      release = settle;
    });
    const { supervisor, repo, home, session, ids } = await open(test, async () => {
      await held;
      return 'noted';
    });
    await session.submit('hello');
    await vi.waitUntil(() => supervisor.mainRequests().length === 1, LONG);
    const [id = ''] = ids();
    const job = jobOf(repo, id, home.userDirectory);
    const notice = noticeOf(askingRecord(job, 'Keep the v1 API?'));
    if (notice !== null) post(home.userDirectory, id, notice);
    release();
    await vi.waitUntil(() => told(supervisor).length === 1, LONG);
    await session.submit('again');
    await vi.waitUntil(() => supervisor.mainRequests().length === 3, LONG);
    expect(told(supervisor)).toEqual([job.id.slice(-6)]);
  });
});
