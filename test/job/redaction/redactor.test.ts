import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedactor, type Redactor } from '../../../src/job/redaction/redactor.ts';
import { SAMPLES } from './samples.ts';

const KEY = 'tk/Zq7+w"93\\né-hT2mV5xK8bN';
const redactor = createRedactor({ values: [{ kind: 'key', value: KEY }] });

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What is left of the text of a stream that is given in these pieces. */
function streamed(by: Redactor, pieces: readonly Uint8Array[]): Buffer {
  const stream = by.stream();
  return Buffer.concat([...pieces.map((piece) => stream.write(piece)), stream.end()]);
}

function piecesOf(bytes: Buffer, length: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}

describe('a known secret', () => {
  it.each([
    ['as it is', KEY],
    ['in base64', base64(KEY)],
    ['in base64 after one byte', base64(`x${KEY}`)],
    ['in base64 after two bytes', base64(`xy${KEY}z`)],
    ['in base64 within a longer text', base64(`user:${KEY} and more`)],
    ['in base64url', Buffer.from(`ab${KEY}`).toString('base64url')],
    ['in hexadecimal', Buffer.from(KEY).toString('hex')],
    ['in a URL', encodeURIComponent(KEY)],
    ['in JSON', JSON.stringify({ KEY }).slice(8, -2)],
    ['in JSON with escaped slashes', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
    ['as bytes read one by one', Buffer.from(KEY).toString('latin1')],
    ['broken into lines', KEY.replace(/.{7}/g, '$&\n')],
    ['in base64 broken into lines', base64(`${'x'.repeat(40)}${KEY}`).replace(/.{20}/g, '$&\r\n')],
  ])('is found %s', (_name, form) => {
    const out = redactor.text(`before ${form} after`);
    expect(out).toMatch(/^before .{0,60}\[redacted:key\].{0,60} after$/s);
    // No half of it is left over.
    if (!form.startsWith('eHh4')) {
      expect(out).not.toContain(form.slice(4, form.length / 2));
      expect(out).not.toContain(form.slice(form.length / 2, -4));
    }
    expect(redactor.known(`before ${form} after`)).toBe(out);
    expect(redactor.text(out)).toBe(out);
  });

  it('is found where a text was cut within it, if half of it or more is there', () => {
    const value = 'Zq7w93hT2mV5xK8bN4cR6yD1';
    const by = createRedactor({ values: [{ kind: 'key', value }] });
    expect(by.text(`error: ${value.slice(0, 16)}… and more`)).toBe('error: [redacted:key]… and more');
    expect(by.text(`…${value.slice(6)} and more`)).toMatch(/^….{0,6}\[redacted:key\] and more$/);
    expect(by.text(value.slice(0, 11))).toBe(value.slice(0, 11));
  });

  it('has the last word over what only looks like a secret', () => {
    const value = 'postgres://app:hunter2x@db/app';
    const by = createRedactor({ values: [{ kind: 'DATABASE_URL', value }] });
    expect(by.text(`DATABASE_URL=${value}`)).toBe('DATABASE_URL=[redacted:DATABASE_URL]');
    expect(by.text('other://app:hunter2x@db/app')).toBe('other://app:[redacted:url-password]@db/app');
    expect(by.known('other://app:hunter2x@db/app')).toBe('other://app:hunter2x@db/app');
  });

  it('can be learnt later', () => {
    const by = createRedactor({ values: [] });
    expect(by.text('a quiet-value-77 b')).toBe('a quiet-value-77 b');
    by.learn([{ kind: 'FROM_FILE', value: 'quiet-value-77' }]);
    expect(by.text('a quiet-value-77 b')).toBe('a [redacted:FROM_FILE] b');
  });

  it('that stands alone is hidden only as a line of its own, in a stream too', () => {
    const by = createRedactor({ values: [{ kind: 'line', value: 'abcd', whole: true, alone: true }] });
    const blanks = ' '.repeat(500);
    const text = `abcd\n abcd\t\r\nxabcd\nabcd x\n-abcd\nabcde\nab\ncd x\nabcd${blanks}\nabcd`;
    const out = '[redacted:line]\n [redacted:line]\t\r\nxabcd\nabcd x\n-[redacted:line]\nabcde\nab\ncd x\n';
    expect(by.text(text)).toBe(`${out}[redacted:line]${blanks}\n[redacted:line]`);
    for (const length of [1, 3, 7])
      expect(streamed(by, piecesOf(Buffer.from(text), length)).toString()).toBe(by.text(text));
  });

  it('that is learnt once more changes nothing', () => {
    const by = createRedactor({ values: [] });
    const many = Array.from(
      { length: 3000 },
      (_, n) => ({ kind: 'k', value: `line number ${n}`, whole: true }) as const,
    );
    by.learn(many);
    const began = performance.now();
    for (let n = 0; n < 30; n += 1) by.learn(many);
    expect(performance.now() - began).toBeLessThan(1000);
    expect(by.text('line number 7, line')).toBe('[redacted:k], line');
  });

  it('is not seen in a text that does not have it, and a text without one is the same text', () => {
    const text = readFileSync('package-lock.json', 'utf8');
    expect(redactor.text(text)).toBe(text);
    expect(redactor.text('')).toBe('');
  });
});

describe('a stream', () => {
  const samples = Object.values(SAMPLES).flatMap(({ hits, misses }) => [...hits, ...misses]);
  const text = ['first', ...samples, `the key ${KEY} and ${base64(`x${KEY}`)}`, '', 'last'].join('\nline\n');
  const bytes = Buffer.from(text);

  it.each([1, 2, 3, 7, 16, 61, 997, 65_536])('says the same in pieces of %i bytes as in one', (length) => {
    expect(streamed(redactor, piecesOf(bytes, length)).toString()).toBe(redactor.text(text));
  });

  it('changes no byte of what is no secret, valid UTF-8 or not', () => {
    const all = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256));
    for (const length of [1, 100, 5000]) expect(streamed(redactor, piecesOf(all, length))).toEqual(all);
  });

  it('holds back no more than what may become a secret', () => {
    const stream = redactor.stream();
    expect(Buffer.from(stream.write(Buffer.from('at 50 %'))).toString()).toBe('at 50 %');
    expect(Buffer.from(stream.write(Buffer.from('\nnext tk/Zq'))).toString()).toBe('\nnext ');
    expect(Buffer.from(stream.write(Buffer.from('7 no\n'))).toString()).toBe('tk/Zq7 no\n');
  });

  it('does not wait for the end of a line that has none', () => {
    const stream = redactor.stream();
    let out = 0;
    for (let n = 0; n < 100; n += 1) out += stream.write(Buffer.from('token '.repeat(200))).length;
    expect(out).toBeGreaterThan(110_000);
  });
});

/** Each begins a match again and again, and never ends one. */
const EVIL = [
  ...[
    'eyJ',
    'eyJ-',
    'eyJ-aaaaaaaa.',
    'sk-',
    'sk-proj-',
    'xoxb-',
    'glpat-',
    'hf_',
    'hvs.',
    'whsec_',
    'ghp_',
    'akia',
  ],
  ...[
    '://',
    '://a:',
    '://a:b',
    'password=',
    '-password=',
    'password:"',
    'token: "',
    'A_TOKEN=',
    ' A_TOKEN=a',
    'api-key=',
  ],
  ...['_authToken=', 'login a password ', '&key=', 'bearer ', 'authorization: bearer ', '"auth":"', '1:AA'],
  ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
  ...['accountkey=', 'hooks.slack.com/a/', 'aws_session_token=', 'tk/Zq7+w', 'dGsvWnE3'],
];

describe('the time it takes', () => {
  const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join('src', name), 'utf8'))
    .join('\n');
  const megabyte = Buffer.from(source.repeat(3)).toString('latin1').slice(0, 1_000_000);
  const values = Array.from({ length: 60 }, (_, index) => ({
    kind: 'key',
    value: `planted-${index}-${base64(`${index * 7919}`.repeat(5))}`,
  }));

  /** The least of several runs: other work on the machine only ever adds to it. */
  function milliseconds(act: () => unknown): number {
    const runs = Array.from({ length: 4 }, () => {
      const began = performance.now();
      act();
      return performance.now() - began;
    });
    return Math.min(...runs);
  }

  it('is a few milliseconds a megabyte, with sixty secrets', () => {
    const by = createRedactor({ values });
    const chunks = piecesOf(Buffer.from(megabyte, 'latin1'), 65_536);
    const text = milliseconds(() => by.text(megabyte));
    const stream = milliseconds(() => streamed(by, chunks));
    console.log(`text ${text.toFixed(1)} ms/MB, stream ${stream.toFixed(1)} ms/MB (goal 20)`);
    // Ten times the goal: this machine may be slow, a wrong algorithm is slower than that.
    expect(text).toBeLessThan(200);
    expect(stream).toBeLessThan(200);
  });

  it.each(EVIL)('grows with the length alone, also for nothing but %j', (piece) => {
    const once = milliseconds(() => redactor.text(piece.repeat(Math.ceil(50_000 / piece.length))));
    const fourTimes = milliseconds(() => redactor.text(piece.repeat(Math.ceil(200_000 / piece.length))));
    expect(fourTimes).toBeLessThan(12 * once + 50);
    expect(fourTimes).toBeLessThan(3000);
  });
});
