import { expect, it } from 'vitest';
import { criteriaOf } from '../../src/job/criteria.ts';

it.each([
  ['one sentence is one criterion', 'All tests pass', ['All tests pass']],
  ['bullets', '- a works\n- b works', ['a works', 'b works']],
  ['numbers and other bullets', '1. a\n2) b\n* c\n• d', ['a', 'b', 'c', 'd']],
  ['the same words twice are one', '- tests pass\n- b\n- tests pass', ['tests pass', 'b']],
  ['boxes to tick', '- [ ] a\n- [x] b', ['a', 'b']],
  [
    'what is indented below a bullet is part of it',
    '- a\n  more of a\n  - under a\n- b',
    ['a more of a - under a', 'b'],
  ],
  ['an announcement is none', 'Done means:\n\n- a\n- b', ['a', 'b']],
  ['a heading is none', '# Done\n- a', ['a']],
  ['a sentence before the list counts', 'The API is stable.\n\n- a', ['The API is stable.', 'a']],
  ['a paragraph after the list counts', '- a\n\nNothing else is changed.', ['a', 'Nothing else is changed.']],
  ['a list in a code block is none', 'It prints\n```\n- a\n- b\n```', ['It prints ``` - a - b ```']],
  ['a dash in a sentence is no bullet', 'fast - and small', ['fast - and small']],
  ['windows line ends', '- a\r\n- b\r\n', ['a', 'b']],
  ['only an announcement is still something', 'Do it:', ['Do it:']],
  ['nothing', ' \n ', []],
])('reads %s', (_, done, criteria) => {
  expect(criteriaOf(done)).toEqual(criteria);
});

it('puts what is too many into the last', () => {
  const criteria = criteriaOf(Array.from({ length: 100 }, (_, at) => `- c${at}`).join('\n'));
  expect(criteria).toHaveLength(40);
  expect(criteria.at(-1)).toContain('c99');
});
