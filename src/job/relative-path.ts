/** The folder of a path relative to the root, with slashes; '' is the root. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at === -1 ? '' : path.slice(0, at);
}

/** As a path relative to the root; a word that leads out of it names nothing there. */
export function joined(folder: string, word: string): string {
  if (word.startsWith('/')) return word;
  const parts: string[] = [];
  for (const part of `${folder}/${word}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length === 0) return `../${word}`;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}
