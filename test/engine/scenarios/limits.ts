import { expect } from 'vitest';
import { eventsOf } from '../harness.ts';
import {
  DONE,
  done,
  failed,
  nudged,
  READ,
  type Row,
  TORN,
  thenDone,
  tooLongAfterFirst,
  WRITE,
} from './row.ts';

/** Answers that lead nowhere, and contexts that are too long. */
export const LIMITS_ROWS: readonly Row[] = [
  {
    scenario: 'the output limit inside a call: not run',
    script: thenDone({ calls: [TORN], finish: 'length' }),
    wanted: done,
    requests: 2,
    log: [],
    also: nudged('smaller steps'),
  },
  {
    scenario: 'the output limit after a whole call: not run either',
    script: thenDone({ ...WRITE, finish: 'length' }),
    wanted: done,
    requests: 2,
    log: [],
  },
  {
    scenario: 'the output limit for ever',
    script: [{ text: 'abc', finish: 'length' }],
    wanted: failed('engine'),
    requests: 5,
  },
  {
    scenario: 'a refusal',
    script: [{ text: 'no', finish: 'content_filter' }],
    wanted: failed('engine'),
    requests: 1,
  },
  {
    scenario: 'an empty answer, once',
    script: thenDone({ text: '' }),
    wanted: done,
    requests: 2,
    also: nudged('was empty'),
  },
  {
    scenario: 'white space alone, once',
    script: thenDone({ text: ' \n' }),
    wanted: done,
    requests: 2,
    also: nudged('was empty'),
  },
  {
    scenario: 'thoughts alone, once',
    script: thenDone({ thinking: 'hmm' }),
    wanted: done,
    requests: 2,
    also: nudged('was empty'),
  },
  {
    scenario: 'empty answers for ever',
    script: [{ text: '', usage: { prompt: 0, output: 0 } }],
    wanted: failed('empty'),
    requests: 3,
  },
  {
    scenario: 'bad calls for ever',
    script: ({ index }) => ({ calls: [{ name: `tool${index}`, args: {} }] }),
    wanted: failed('loop'),
    requests: 10,
  },
  {
    scenario: 'the same call for ever',
    script: [READ],
    wanted: failed('loop'),
    requests: 8,
    also: ({ events }) => expect(eventsOf(events, 'warn')).toHaveLength(1),
  },
  {
    scenario: 'two calls in turn for ever',
    script: ({ index }) => (index % 2 === 0 ? READ : WRITE),
    wanted: failed('loop'),
    requests: 16,
  },
  {
    scenario: 'a context that is too long, once',
    script: thenDone(READ, {
      status: 400,
      body: { error: { message: 'x', code: 'context_length_exceeded' } },
    }),
    wanted: done,
    requests: 3,
    also: ({ events }) => expect(eventsOf(events, 'compacted')).toHaveLength(1),
  },
  {
    scenario: 'a context that is always too long',
    script: tooLongAfterFirst,
    wanted: failed('overflow'),
    requests: 3,
  },
  {
    scenario: 'a context too long for this model alone',
    script: [{ status: 413 }],
    fallback: [DONE],
    wanted: done,
    requests: 1,
  },
];
