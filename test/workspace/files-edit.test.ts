import { describe, expect, it } from 'vitest';
import { editBytes } from '../../src/workspace/files-edit.ts';

function edit(file: string | Buffer, oldText: string, newText: string, replaceAll = false): string {
  return editBytes(Buffer.from(file), { oldText, newText, replaceAll }, 'f').bytes.toString('latin1');
}

describe('an edit', () => {
  it.each([
    ['one line of a CRLF file', '1\r\n2\r\n3\r\n', '2', 'TWO', '1\r\nTWO\r\n3\r\n'],
    [
      'two lines of a CRLF file, given with LF',
      '1\r\n2\r\n3\r\n',
      '1\n2\n',
      'A\nB\nC\n',
      'A\r\nB\r\nC\r\n3\r\n',
    ],
    ['one line by two in a CRLF file', '1\r\n2\r\n3\r\n', '2', 'a\nb', '1\r\na\r\nb\r\n3\r\n'],
    ['lines given with CRLF', '1\r\n2\r\n', '1\r\n2', 'a\r\nb', 'a\r\nb\r\n'],
    ['the LF part of a mixed file', '1\n2\n3\r\n', '1\n2', 'a\nb', 'a\nb\n3\r\n'],
    ['the CRLF part of a mixed file', '1\n2\n3\r\n4\r\n', '3\n4', 'a\nb', '1\n2\na\r\nb\r\n'],
    ['a LF file', 'a\nb\n', 'b', 'c\nd', 'a\nc\nd\n'],
    ['to nothing', 'a\nb\n', 'b\n', '', 'a\n'],
    ['text that looks like a pattern', 'a.b $& x\n', '.b $&', '$1$$', 'a$1$$ x\n'],
  ])('replaces %s', (_, file, oldText, newText, expected) => {
    expect(edit(file, oldText, newText)).toBe(expected);
  });

  it('replaces all that there is when it is asked to', () => {
    expect(edit('x x x', 'x', 'yy', true)).toBe('yy yy yy');
  });

  it('leaves every byte of a file that is not UTF-8', () => {
    const file = Buffer.from('caf\xe9 \xff old\n', 'latin1');
    expect(edit(file, 'old', 'new')).toBe('caf\xe9 \xff new\n');
    expect(edit(file, 'café', 'thé')).toBe('th\xe9 \xff old\n');
  });

  it('writes UTF-8 into a UTF-8 file and keeps its mark', () => {
    const file = Buffer.from('\ufeffä €\n');
    expect(edit(file, '€', '😀')).toBe(Buffer.from('\ufeffä 😀\n').toString('latin1'));
  });

  it.each([
    ['text that is not there', 'a\n', 'b', 'c', 'no_match', /read the file again/],
    [
      'text whose white space differs',
      'if x:\n    y()\n',
      'if x:\n  y()',
      'z',
      'no_match',
      /first line is at line 1/,
    ],
    [
      'text that is there more than once',
      'x\ny\nx\n',
      'x',
      'z',
      'many_matches',
      /occurs 2 times in f \(lines 1, 3\)/,
    ],
    ['nothing by something', 'x', '', 'z', 'no_match', /use write/],
    ['text by itself', 'x', 'x', 'x', 'no_change', /same/],
    ['CRLF by the same CRLF', 'a\r\nb\r\n', 'a\nb', 'a\r\nb', 'no_change', /as it is/],
    ['Latin-1 by what it cannot hold', Buffer.from('\xe9', 'latin1'), 'é', '€', 'bad_text', /not UTF-8/],
  ])('refuses %s', (_, file, oldText, newText, code, message) => {
    const act = (): string => edit(file, oldText, newText);
    expect(act).toThrow(message);
    expect(act).toThrow(expect.objectContaining({ code }));
  });
});
