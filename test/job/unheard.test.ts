import { expect, it } from 'vitest';
import { unheard } from '../../src/job/unheard.ts';

const steer = (id: string, text: unknown) => ({ t: 'steer', id, text });
const delivered = (...ids: string[]) => ({ t: 'steer_delivered', ids });

it.each([
  ['nothing where all was delivered', [steer('a', 'A'), steer('b', 'B'), delivered('a', 'b')], [], []],
  ['what came after the last request', [steer('a', 'A'), delivered('a'), steer('b', 'B')], [], ['B']],
  ['what no runner has taken, last', [steer('a', 'A')], [{ id: 'b', text: 'B' }], ['A', 'B']],
  ['once what was taken and lies there still', [steer('a', 'A')], [{ id: 'a', text: 'A' }], ['A']],
  [
    'nothing of what was delivered and lies there still',
    [steer('a', 'A'), delivered('a')],
    [{ id: 'a', text: 'A' }],
    [],
  ],
  [
    'nothing of events that are no messages',
    [steer('a', 7), { t: 'steer_delivered' }, { t: 'answer' }],
    [],
    [],
  ],
])('a worker that goes on has not heard %s', (_, events, waiting, texts) => {
  expect(unheard(events, waiting)).toEqual(texts);
});
