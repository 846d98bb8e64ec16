/** Breaks a line between words so that none is wider than `width`; the following ones start with `indent`. */
export function fold(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<=\S) /)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if ([...longer].length <= width || line.trim() === '') {
      line = longer;
      continue;
    }
    lines.push(line);
    line = `${indent}${word}`;
  }
  return [...lines, line];
}
