/** The demo's project: a small library with a real fault, and the real test that shows it. */
export const PROJECT: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "kitchen-timer",
  "version": "1.0.0",
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'src/duration.js': `const SECONDS = { h: 3600, m: 60, s: 1 };

/** Seconds of "90s", "25m" or "1h30m". */
export function parseDuration(text) {
  const match = /^(\\d+)([hms])/.exec(text);
  if (!match) throw new Error(\`not a duration: \${text}\`);
  return Number(match[1]) * SECONDS[match[2]];
}
`,
  'test/duration.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { parseDuration } from '../src/duration.js';

test('one unit', () => assert.equal(parseDuration('25m'), 1500));
test('several units', () => assert.equal(parseDuration('1h30m'), 5400));
test('trailing rubbish is refused', () => assert.throws(() => parseDuration('5mx')));
`,
};

export const TASK =
  'parseDuration reads only the first unit: "1h30m" gives one hour, and "5mx" is accepted. Make it read every unit and refuse the rest.';

export const TEST = 'node --test';

const FIXED = `  const parts = [...text.matchAll(/(\\d+)([hms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new Error(\`not a duration: \${text}\`);
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * SECONDS[unit], 0);
`;

const BROKEN = `  const match = /^(\\d+)([hms])/.exec(text);
  if (!match) throw new Error(\`not a duration: \${text}\`);
  return Number(match[1]) * SECONDS[match[2]];
`;

const PACE = { firstByteMs: 350 };

/** What the scripted model answers, step by step. The tools it calls are real, and so is what they do. */
export const SCRIPT = [
  {
    ...PACE,
    calls: [
      { name: 'report_progress', args: { update: 'looking at the failing tests' } },
      { name: 'bash', args: { command: 'node --test | grep -E "^# (pass|fail)"' } },
    ],
  },
  {
    ...PACE,
    calls: [
      { name: 'read', args: { path: 'src/duration.js' } },
      { name: 'read', args: { path: 'test/duration.test.js' } },
    ],
  },
  { ...PACE, calls: [{ name: 'edit', args: { path: 'src/duration.js', oldText: BROKEN, newText: FIXED } }] },
  { ...PACE, calls: [{ name: 'bash', args: { command: 'node --test | grep -E "^# (pass|fail)"' } }] },
  {
    ...PACE,
    text: 'parseDuration now adds up every unit and refuses anything left over; all three tests pass.',
  },
].map((turn, step) => ({
  ...turn,
  usage: { prompt: 1400 + 350 * step, output: 120, cacheRead: 300 * step },
}));
