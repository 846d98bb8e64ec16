import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendEvent, readEvents } from '../../src/store/events.ts';
import { makeFolder } from '../helpers/repository.ts';

const newFile = () => join(makeFolder(), 'runs', 'events.ndjson');

describe('events', () => {
  it('come back in order, each on a line of its own, for the user alone', () => {
    const file = newFile();
    for (let n = 0; n < 3; n += 1) appendEvent(file, { n, text: 'a\nb' });
    expect(readEvents(file).events.map((event) => event.n)).toEqual([0, 1, 2]);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('go on a new line after one that a crash tore, and only that one is lost', () => {
    const file = newFile();
    appendEvent(file, { n: 1, costUsd: 0.5 });
    appendEvent(file, { n: 2 });
    truncateSync(file, statSync(file).size - 4);
    expect(readEvents(file)).toMatchObject({ events: [{ n: 1, costUsd: 0.5 }], skipped: 1 });
    appendEvent(file, { n: 3 });
    expect(readEvents(file)).toMatchObject({ events: [{ n: 1 }, { n: 3 }], skipped: 1 });
  });

  it.each(['not json', '[1]', '"x"', 'null', '\0\0', '{"a":1}{"b":2}'])(
    'skip and count the broken line %j',
    (line) => {
      const file = newFile();
      appendEvent(file, { n: 1 });
      appendFileSync(file, `${line}\n`);
      appendEvent(file, { n: 2 });
      expect(readEvents(file)).toMatchObject({ events: [{ n: 1 }, { n: 2 }], skipped: 1, truncated: false });
    },
  );

  it('give the last ones of a long file without reading all of it', () => {
    const file = newFile();
    appendEvent(file, { n: -1 });
    const line = (n: number) => `${JSON.stringify({ n, text: 'x'.repeat(1000) })}\n`;
    const lines = Array.from({ length: 40_000 }, (_, n) => line(n));
    // A broken line that is counted only by who reads that far.
    lines[39_000] = 'broken\n';
    writeFileSync(file, lines.join(''));
    const read = readEvents(file, { tail: 12 });
    expect(read.skipped).toBe(0);
    expect(read.events.map((event) => event.n)).toEqual(Array.from({ length: 12 }, (_, n) => 39_988 + n));
    expect(read.truncated).toBe(true);
    const all = readEvents(file);
    expect(all.truncated).toBe(true);
    expect(all.events.at(-1)?.n).toBe(39_999);
    expect(all.skipped).toBe(1);
    expect(all.events.length).toBeLessThan(17_000);
    expect(readEvents(file, { tail: 300 }).events).toHaveLength(300);
  });

  it('can be followed: each line once, one that is being written only when it is whole', () => {
    const file = newFile();
    appendEvent(file, { n: 1 });
    const first = readEvents(file);
    appendFileSync(file, '{"n":');
    const second = readEvents(file, { from: first.next });
    expect(second.events).toEqual([]);
    appendFileSync(file, '2}\n');
    const third = readEvents(file, { from: second.next });
    expect(third.events).toEqual([{ n: 2 }]);
    expect(readEvents(file, { from: third.next }).events).toEqual([]);
  });

  it('of a missing file are none, and a folder that went away is made anew', () => {
    const file = newFile();
    expect(readEvents(file)).toEqual({ events: [], skipped: 0, truncated: false, next: 0 });
    appendEvent(file, { n: 1 });
    rmSync(join(file, '..'), { recursive: true });
    appendEvent(file, { n: 2 });
    expect(readEvents(file).events).toEqual([{ n: 2 }]);
  });
});
