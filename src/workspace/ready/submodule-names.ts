import { fields, type HostPlace, hostGit } from '../git.ts';

/** The names of a commit's submodules by their path. A name that would lead elsewhere is left out. */
export async function submoduleNames(place: HostPlace, commit: string): Promise<Map<string, string>> {
  const args = ['config', '-z', '--blob', `${commit}:.gitmodules`, '--get-regexp', '^submodule\\..*\\.path$'];
  // 1: no such key. 128: the commit has no such file, or one that cannot be read.
  const answer = await hostGit({ ...place, args }, { accept: [0, 1, 128] });
  const names = new Map<string, string>();
  for (const field of fields(answer.stdout)) {
    const text = field.toString('utf8');
    const at = text.indexOf('\n');
    const name = text.slice('submodule.'.length, at - '.path'.length);
    if (isSafeName(name)) names.set(text.slice(at + 1), name);
  }
  return names;
}

/** As git itself checks it: the name becomes a path below `.git/modules` (gitmodules(5), CVE-2018-11235). */
export function isSafeName(name: string): boolean {
  if (name === '' || /[\0\n]/.test(name)) return false;
  return !name.split(/[/\\]/).some((part) => part === '..' || part === '');
}
