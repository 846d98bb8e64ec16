import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/job/redaction/redactor.ts';
import { JobLog } from '../../src/runner/job-log.ts';
import type { RunPaths } from '../../src/store/paths.ts';
import { makeFolder } from '../helpers/repository.ts';

const SECRET = 'quiet-value-77';

function newLog() {
  const folder = makeFolder();
  const at = (name: string): string => join(folder, name);
  const paths: RunPaths = {
    folder,
    revisions: at('rev'),
    task: at('task.json'),
    events: at('events.ndjson'),
    transcript: at('transcript.ndjson'),
    workerLog: at('worker.log'),
    runnerLog: at('runner.log'),
    patch: at('result.patch'),
    receipt: at('receipt.json'),
    answer: at('answer.md'),
    leftovers: at('leftovers.json'),
    applied: at('applied'),
  };
  const problems: unknown[] = [];
  const redactor = createRedactor({ values: [{ kind: 'key', value: SECRET }] });
  const log = new JobLog(paths, redactor, (error) => problems.push(error));
  const closed = (): string => {
    log.close();
    expect(problems).toEqual([]);
    return readFileSync(paths.workerLog, 'utf8');
  };
  return { log, paths, closed };
}

describe('what a job leaves to read', () => {
  it('has no secret in an event, however deep, nor one that a hidden character splits', () => {
    const { log, paths } = newLog();
    log.event('odd', {
      a: [`x ${SECRET}`, { [SECRET]: `quiet-\u200bvalue-\u001b77` }],
      n: 1,
      b: true,
      z: null,
    });
    expect(JSON.parse(readFileSync(paths.events, 'utf8'))).toEqual({
      at: expect.any(String),
      t: 'odd',
      a: ['x [redacted:key]', { '[redacted:key]': '[redacted:key]' }],
      n: 1,
      b: true,
      z: null,
    });
  });

  it('has no secret in the output of commands, also when it comes in pieces', () => {
    const { log, closed } = newLog();
    for (const piece of ['$ env\n', 'A=quiet', '-val', 'ue-77\nsafe\nquiet-va'])
      log.output(Buffer.from(piece));
    expect(closed()).toBe('$ env\nA=[redacted:key]\nsafe\nquiet-va');
  });

  it('has no control character in the output of commands, and text of every language whole', () => {
    const { log, closed } = newLog();
    const bytes = Buffer.from('\u001b]52;c;eA==\u0007日本\u202e 😀\r\n\tend\n');
    for (const byte of bytes) log.output(Uint8Array.of(byte));
    expect(closed()).toBe(']52;c;eA==日本 😀\n\tend\n');
  });

  it('says where the output was cut off, and has no secret there either', () => {
    const { log, closed } = newLog();
    const chunk = Buffer.from(`${'x'.repeat(1023)}\n`.repeat(1024));
    for (let n = 0; n < 20; n += 1) log.output(chunk);
    log.output(Buffer.from(`${SECRET}\n`));
    log.output(Buffer.from('never seen\n'));
    expect(closed()).toMatch(/x\n\[redacted:key\]\n\n\[the log ends here: 20971520 bytes\]\n$/);
  });
});
