import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/job/redaction/redactor.ts';
import { PatchSecrets, secretLike } from '../../../src/job/redaction/secret-like.ts';
import { SAMPLES } from './samples.ts';

const token = SAMPLES['github-token']?.hits[0] ?? '';
const key = SAMPLES['private-key']?.hits[0] ?? '';
const redactor = createRedactor({ values: [{ kind: 'key', value: 'quiet-value-77' }] });

const PATCH = [
  'diff --git a/src/a.ts b/src/a.ts',
  'index 1..2 100644',
  '--- a/src/a.ts',
  '+++ b/src/a.ts',
  '@@ -1 +1,2 @@',
  `-const old = '${token}';`,
  ` const same = '${token}';`,
  '+const fine = 1;',
  'diff --git a/key.pem b/key.pem',
  '--- /dev/null',
  '+++ b/key.pem',
  ...key.split('\n').map((line) => `+${line}`),
  'diff --git "a/b\\"c" "b/b\\"c"',
  '--- /dev/null',
  '+++ "b/b\\"c"',
  '+++ b/not/a/path quiet-value-77',
  `+const t = '${token}';`,
  '',
].join('\n');

describe('a patch', () => {
  it.each([1, 10, 100_000])('is asked for secrets in the lines it adds, %i characters at a time', (size) => {
    const reader = new PatchSecrets(redactor);
    for (let at = 0; at < PATCH.length; at += size) reader.write(PATCH.slice(at, at + size));
    expect(reader.end()).toEqual([
      { path: 'key.pem', kind: 'private-key' },
      { path: '"b\\"c"', kind: 'key' },
      { path: '"b\\"c"', kind: 'github-token' },
    ]);
  });

  it('has none when it only takes one away', () => {
    const reader = new PatchSecrets(redactor);
    reader.write(PATCH.slice(0, PATCH.indexOf('diff --git a/key.pem')));
    expect(reader.end()).toEqual([]);
  });

  it('is told by its added lines alone', () => {
    expect(secretLike(['const a = 1;', `const t = '${token}';`])).toBe(true);
    expect(secretLike(key.split('\n'))).toBe(true);
    expect(secretLike(['const a = 1;', 'quiet-value-77'])).toBe(false);
    expect(secretLike(['quiet-value-77'], redactor)).toBe(true);
  });
});
