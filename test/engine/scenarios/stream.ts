import { DONE, done, failed, noTornHistory, READ, type Row, TORN, thenDone, WRITE } from './row.ts';

/** Streams that break, stay silent or lie. */
export const STREAM_ROWS: readonly Row[] = [
  {
    scenario: 'a socket cut in mid-stream',
    script: thenDone({ text: 'I will', ending: 'cut' }),
    wanted: done,
    requests: 2,
  },
  {
    scenario: 'a socket cut after some bytes',
    script: thenDone({ text: 'I will', cutAfterBytes: 40 }),
    wanted: done,
    requests: 2,
  },
  {
    scenario: 'a socket cut in the middle of a tool call',
    script: thenDone({ calls: [TORN], ending: 'cut' }),
    wanted: done,
    requests: 2,
    log: [],
    also: noTornHistory,
  },
  {
    scenario: 'a clean end in the middle of a tool call',
    script: thenDone({ calls: [TORN], ending: 'no_finish' }),
    wanted: done,
    requests: 2,
    log: [],
    also: noTornHistory,
  },
  {
    scenario: 'a clean end without a finish',
    script: thenDone({ text: 'I will', ending: 'no_finish' }),
    wanted: done,
    requests: 2,
  },
  {
    scenario: 'a cut after a whole tool call: it runs once',
    script: thenDone({ ...WRITE, ending: 'cut' }, WRITE),
    wanted: done,
    requests: 3,
    log: ['wrote a.txt'],
  },
  {
    scenario: 'an error event inside a 200 stream',
    script: thenDone({ text: 'I will', ending: 'error_event' }),
    wanted: done,
    requests: 2,
  },
  {
    scenario: 'an error event about a full context',
    script: thenDone(READ, { text: 'a', ending: 'error_event', error: 'prompt is too long' }),
    wanted: done,
    requests: 3,
  },
  {
    scenario: 'a 200 with an error body',
    script: thenDone({ status: 200, body: { error: { message: 'upstream died', code: 503 } } }),
    wanted: done,
    requests: 2,
  },
  {
    scenario: 'a 200 with an error body about the key',
    script: [{ status: 200, body: { error: { message: 'no', code: 401 } } }],
    wanted: failed('auth'),
    requests: 1,
  },
  { scenario: 'no choices, once', script: thenDone({ noChoices: true }), wanted: done, requests: 2 },
  {
    scenario: 'silence before the first byte',
    script: thenDone({ firstByteMs: 1e8 }),
    idleMs: 700,
    wanted: done,
    requests: 2,
  },
  {
    scenario: 'silence in mid-stream',
    script: thenDone({ text: 'I will', ending: 'hang' }),
    idleMs: 700,
    wanted: done,
    requests: 2,
  },
  {
    scenario: 'keep-alive comments for ever',
    script: [{ ending: 'keep_alive', chunkMs: 10 }],
    idleMs: 300,
    wanted: failed('transient'),
    requests: 3,
  },
  {
    scenario: 'a slow answer that keeps coming',
    script: [{ ...DONE, chunkMs: 150, thinking: 'x'.repeat(2400) }],
    idleMs: 1000,
    wanted: done,
    requests: 1,
  },
];
