import { expect, it } from 'vitest';
import type { ReceiptFile } from '../../src/job/receipt.ts';
import { createRedactor } from '../../src/job/redaction/redactor.ts';
import { reviewFiles } from '../../src/job/review-files.ts';

const SECRET = 'Zx81-known-9fJ2kQLmZp0RtV4wYb7Nc';
const redactor = createRedactor({ values: [{ value: SECRET, kind: 'key' }] });

function piece(path: string, body: string): string {
  return `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n${body}`;
}

function fact(path: string, change: Partial<ReceiptFile> = {}): ReceiptFile {
  return { path, status: 'A', insertions: 1, deletions: 0, binary: false, flags: [], ...change };
}

function only(body: string) {
  const [file] = reviewFiles(piece('a.txt', body), [fact('a.txt')], redactor);
  return file;
}

it('lays what the receipt says over what the patch shows', () => {
  const files = reviewFiles(
    piece('a.txt', '+x\n'),
    [fact('a.txt', { flags: ['test_edit'] }), fact('late.txt')],
    redactor,
  );
  expect(files).toMatchObject([
    { path: 'a.txt', flags: ['test_edit'], note: null },
    { path: 'late.txt', diff: '', note: expect.stringContaining('too long') },
  ]);
});

it('counts for itself when there is no receipt', () => {
  const [file] = reviewFiles(piece('a.txt', '+x\n+y\n-z\n'), [], redactor);
  expect(file).toMatchObject({ status: 'A', insertions: 2, deletions: 1, binary: false });
});

it('hides a secret it knows, also when characters nobody sees are in it', () => {
  const hidden = `${SECRET.slice(0, 6)}\u200b${SECRET.slice(6)}`;
  for (const secret of [SECRET, hidden]) {
    const file = only(`+token ${secret}\n`);
    expect(file?.diff).toContain('+token [redacted:key]');
    expect(file?.note).toContain('secret is hidden');
  }
});

it.each(['+', '-'])('does not show a key of many lines, whatever sign is in front of them: %s', (sign) => {
  const body = [
    '-----BEGIN RSA PRIVATE KEY-----',
    ...Array.from({ length: 12 }, (_, at) => `MIIEowIBAAKCAQEAx${at}yJ3k9QpLmZp0RtV4wYb7NcZx81kQLm9fJ2`),
    '-----END RSA PRIVATE KEY-----',
  ];
  const file = only(`${body.map((line) => sign + line).join('\n')}\n`);
  expect(JSON.stringify(file)).not.toContain('yJ3k9QpLmZp0');
  expect(file?.note).toContain('secret');
});

it('leaves out what steers a terminal or turns the reading direction, and says so', () => {
  const file = only('+a\u202e\u001b[31mb\r\n');
  expect(file).toMatchObject({ note: '2 invisible or steering characters are left out here' });
  expect(file?.diff).toContain('+a[31mb\n');
});

it('says of a binary file only that it is one', () => {
  const patch = 'diff --git a/x b/x\nindex 0..1\nGIT binary patch\nliteral 3\nKcmZQzU|\n\n';
  expect(reviewFiles(patch, [], redactor)).toMatchObject([
    { binary: true, diff: '', note: 'binary: not shown' },
  ]);
});

it('shows a name with a line break in it as one line', () => {
  const patch = piece('x', '+x\n').replace('a/x b/x', '"a/new\\nline" "b/new\\nline"');
  expect(reviewFiles(patch, [fact('new\nline', { flags: ['test_edit'] })], redactor)).toMatchObject([
    { path: 'new\\nline', flags: ['test_edit'] },
  ]);
});
