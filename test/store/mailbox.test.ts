import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMailbox, openOutbox } from '../../src/store/mailbox.ts';
import { watchMailbox } from '../../src/store/mailbox-watch.ts';
import { INBOX, type InMessage, newEnvelope } from '../../src/store/messages.ts';
import { openStore } from '../../src/store/open.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bundlePrograms, runProgram } from './fixtures/bundle.ts';
import { AT, newId } from './fixtures/records.ts';

const newMailbox = () => openMailbox(join(makeFolder(), 'in'), INBOX);
const steer = (text: string): InMessage => ({ type: 'steer', ...newEnvelope(), text });
const inNew = (folder: string) => readdirSync(join(folder, 'new'));

describe('a mailbox', () => {
  it('delivers in the order of sending, within one millisecond too, and files each message', async () => {
    const mailbox = newMailbox();
    const texts = Array.from({ length: 100 }, (_, n) => `${n}`);
    for (const text of texts) mailbox.send({ type: 'steer', ...newEnvelope(1_800_000_000_000), text });
    const got: string[] = [];
    expect(await mailbox.take((message) => void got.push(message.type === 'steer' ? message.text : ''))).toBe(
      100,
    );
    expect(got).toEqual(texts);
    expect(inNew(mailbox.folder)).toEqual([]);
    expect(readdirSync(join(mailbox.folder, 'cur'))).toHaveLength(100);
    expect(readdirSync(join(mailbox.folder, 'tmp'))).toEqual([]);
  });

  it('is empty when it does not exist, and reading does not make it', async () => {
    const mailbox = newMailbox();
    expect(mailbox.pending()).toEqual([]);
    expect(await mailbox.take(() => undefined)).toBe(0);
    expect(() => inNew(mailbox.folder)).toThrow('ENOENT');
  });

  it('keeps a message whose handler failed and gives it again, before the later ones', async () => {
    const mailbox = newMailbox();
    const [one, two] = [steer('one'), steer('two')];
    mailbox.send(one);
    mailbox.send(two);
    await expect(mailbox.take(() => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
    const got: InMessage[] = [];
    await mailbox.take((message) => void got.push(message));
    expect(got).toEqual([one, two]);
  });

  it('gives each message once when takes overlap', async () => {
    const mailbox = newMailbox();
    for (let n = 0; n < 20; n += 1) mailbox.send(steer(`${n}`));
    let handled = 0;
    const handler = async (): Promise<void> => {
      await Promise.resolve();
      handled += 1;
    };
    await Promise.all([mailbox.take(handler), mailbox.take(handler), mailbox.take(handler)]);
    expect(handled).toBe(20);
  });

  it.each<[string, (folder: string) => void]>([
    ['not JSON', (folder) => writeFileSync(join(folder, 'm_aaaaaaaa_aaaa1.json'), '{"type":"ste')],
    ['empty', (folder) => writeFileSync(join(folder, 'm_aaaaaaaa_aaaa1.json'), '')],
    [
      'of an unknown type',
      (folder) => writeFileSync(join(folder, 'm_aaaaaaaa_aaaa1.json'), forged({ type: 'exec' })),
    ],
    ['named for another', (folder) => writeFileSync(join(folder, 'm_aaaaaaaa_aaaa2.json'), forged({}))],
    ['of a foreign name', (folder) => writeFileSync(join(folder, `-rf ${'x'.repeat(200)}`), forged({}))],
    [
      'too big',
      (folder) => writeFileSync(join(folder, 'm_aaaaaaaa_aaaa1.json'), forged({ text: 'x'.repeat(70_000) })),
    ],
    ['a symbolic link', (folder) => symlinkSync('/etc/passwd', join(folder, 'm_aaaaaaaa_aaaa1.json'))],
    ['a folder', (folder) => mkdirSync(join(folder, 'm_aaaaaaaa_aaaa1.json'))],
  ])('sets aside what is %s, and goes on with the next', async (_, plant) => {
    const mailbox = newMailbox();
    mailbox.send(steer('good'));
    plant(mailbox.newFolder);
    const got: InMessage[] = [];
    expect(mailbox.pending()).toHaveLength(1);
    await mailbox.take((message) => void got.push(message));
    expect(got).toMatchObject([{ text: 'good' }]);
    expect(inNew(mailbox.folder)).toEqual([]);
    expect(readdirSync(join(mailbox.folder, 'bad'))).toHaveLength(1);
  });

  it('refuses a message that is too long, and one too many, without touching the others', () => {
    const mailbox = newMailbox();
    expect(() => mailbox.send(steer('x'.repeat(64 * 1024)))).toThrow(/too long/);
    mailbox.ensure();
    for (let n = 0; n < 1000; n += 1)
      writeFileSync(join(mailbox.newFolder, `m_aaaaaaaa_${1000 + n}.json`), '');
    expect(() => mailbox.send(steer('one more'))).toThrow(/1000 messages wait/);
    expect(inNew(mailbox.folder)).toHaveLength(1000);
  });

  it('takes an id that is a path for a bug', () => {
    const mailbox = newMailbox();
    expect(() => mailbox.send({ ...steer('x'), id: '../../x' })).toThrow(/no message id/);
    expect(() => mailbox.close('../x')).toThrow(/no message id/);
  });

  it('loses no accepted message and tears none when senders are killed', async () => {
    const folder = makeFolder();
    await bundlePrograms(folder, 'mail-sender');
    const mailbox = newMailbox();
    const accepted = new Set<string>();
    const received = new Set<string>();
    const take = () => mailbox.take((message) => void received.add(message.id));
    for (let round = 0; round < 5; round += 1) {
      const senders = Array.from({ length: 4 }, () => runProgram(folder, 'mail-sender', [mailbox.folder]));
      for (const sender of senders) {
        await sender.ready;
        await take();
        sender.child.kill('SIGKILL');
      }
      for (const { ended } of senders) {
        // The last line may be cut.
        for (const id of (await ended).stdout.split('\n').slice(0, -1)) accepted.add(id);
      }
    }
    await take();
    expect(accepted.size).toBeGreaterThanOrEqual(20);
    expect([...accepted].filter((id) => !received.has(id))).toEqual([]);
    expect(readdirSync(join(mailbox.folder, 'bad'))).toEqual([]);
    console.log(`mailbox: 20 kills, ${accepted.size} accepted, ${received.size} received, 0 torn, 0 lost`);
  }, 240_000);
});

describe('an open question', () => {
  it('is a message in out/new until it is closed', () => {
    const outbox = openOutbox(openStore(makeFolder(), { create: true }), newId());
    const envelope = newEnvelope();
    const question = {
      id: 'q1',
      kind: 'question' as const,
      message: 'Which port?',
      context: null,
      attempts: null,
      options: ['80', '8080'],
      askedAt: AT,
      expiresAt: AT,
    };
    outbox.send({ type: 'question', ...envelope, question });
    expect(outbox.pending()).toEqual([{ type: 'question', ...envelope, question }]);
    expect(outbox.close(envelope.id)).toBe(true);
    expect(outbox.close(envelope.id)).toBe(false);
    expect(outbox.pending()).toEqual([]);
    expect(readFileSync(join(outbox.folder, 'cur', `${envelope.id}.json`), 'utf8')).toContain('Which port?');
  });
});

describe('watchMailbox', () => {
  function watched(pollMs: number) {
    const mailbox = newMailbox();
    const got: string[] = [];
    const errors: unknown[] = [];
    mailbox.send(steer('before'));
    const watch = watchMailbox(
      mailbox,
      (message) => {
        if (message.type === 'cancel') throw new Error('handler');
        got.push(message.text);
      },
      { pollMs, onError: (error) => void errors.push(error) },
    );
    onTestFinished(() => watch.close());
    return { mailbox, got, errors, watch };
  }

  it('takes what waits, then what comes, long before the poll, and stops when closed', async () => {
    const { mailbox, got, watch } = watched(3_600_000);
    await expect.poll(() => got).toEqual(['before']);
    mailbox.send(steer('one'));
    await expect.poll(() => got, { timeout: 5000 }).toEqual(['before', 'one']);
    await watch.close();
    mailbox.send(steer('late'));
    await mailbox.take(() => Promise.reject(new Error('still here'))).catch(() => undefined);
    expect(got).toEqual(['before', 'one']);
    expect(inNew(mailbox.folder)).toHaveLength(1);
  });

  it('finds what comes without a hint by its poll, even in a folder that was made anew', async () => {
    const { mailbox, got } = watched(20);
    await expect.poll(() => got).toEqual(['before']);
    rmSync(mailbox.folder, { recursive: true });
    mailbox.send(steer('after'));
    await expect.poll(() => got, { timeout: 5000 }).toEqual(['before', 'after']);
  });

  it('reports what a handler throws, keeps the message and tries it again at each poll', async () => {
    const { mailbox, errors } = watched(20);
    mailbox.send({ type: 'cancel', ...newEnvelope() });
    // Start, readiness and arrival are three looks at most; the others are polls.
    await expect.poll(() => errors.length, { timeout: 10_000 }).toBeGreaterThan(5);
    expect(inNew(mailbox.folder)).toHaveLength(1);
  });
});

function forged(change: Record<string, unknown>): string {
  return JSON.stringify({ type: 'steer', id: 'm_aaaaaaaa_aaaa1', at: AT, text: 'x', ...change });
}
