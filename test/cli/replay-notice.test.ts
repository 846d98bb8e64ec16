import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replayNotice } from '../../src/cli/replay-notice.ts';
import { makeFolder } from '../helpers/repository.ts';

const SAID = { role: 'user', content: 'x'.repeat(7998) };
const OWN = { type: 'tools-used', uuid: 'u'.repeat(40_000) };
const CLAUDE = { engine: 'claude', version: 1 };

it.each([
  ['our own: the whole file', [{ version: 1 }, SAID], '2k'],
  ['the client’s: its messages', [CLAUDE, { ...OWN, type: 'user', message: SAID }, OWN], '2k'],
  [
    'the client’s: what it adds to them',
    [CLAUDE, { rendered: [{ content: 'y'.repeat(8000) }], ...OWN }],
    '2k',
  ],
  ['the client’s: not half a line', [CLAUDE, { message: SAID }, '{"message":'], '2k'],
  ['one with nothing in it', [CLAUDE], '1k'],
] as const)('the tokens of a transcript are those that are sent; %s', (_what, lines, wanted) => {
  const file = join(makeFolder(), 'transcript.ndjson');
  writeFileSync(
    file,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  expect(replayNotice(file)).toContain(`about ${wanted} input`);
});
