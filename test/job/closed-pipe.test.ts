import { describe, expect, it } from 'vitest';
import { stopsReading } from '../../src/job/closed-pipe.ts';

describe('a reader that may stop before its writer is done', () => {
  it.each([
    ['npm test 2>&1 | grep -q "5 passing"', 'grep -q 5 passing'],
    ['npm test |& grep -qF ok', 'grep -qF ok'],
    ['make check | grep -m1 ok', 'grep -m1 ok'],
    ['make check | grep --max-count=1 ok', 'grep --max-count=1 ok'],
    ['cd sub && ./run | egrep --quiet x; true', 'egrep --quiet x'],
    ['if ./run | LC_ALL=C grep -l x; then :; fi', 'grep -l x'],
    ['npm test | tee log | head -5', 'head -5'],
    ['! ./run | head', 'head'],
  ])('is found in %s', (command, reader) => {
    expect(stopsReading(command)).toBe(reader);
  });

  it.each([
    'npm test',
    'npm test | tail -20',
    'npm test | grep passing >/dev/null',
    'npm test | grep -v quiet',
    'npm test || grep -q ok log',
    'npm test && grep -q ok log',
    'npm test; head log',
    "npm test | sed 's/|head//'",
    "node -e 'a | head'",
    'npm test # | head',
    'npm test >| head',
  ])('is not found in %s', (command) => {
    expect(stopsReading(command)).toBeNull();
  });
});
