import { globToRegExp } from './files-glob.ts';

/** Is this path, relative to the root of a repository, one whose content must not go to a model? */
export type NeverSent = (path: string) => boolean;

/**
 * The user's `neverSend` globs as a question about paths. A glob without `/` is about names in every folder; one that
 * fits a folder stands for all below it. Upper and lower case count as the same, since some file systems think so. Pure.
 */
export function neverSent(globs: readonly string[]): NeverSent {
  const expressions = globs.map((glob) => {
    const { source } = globToRegExp(glob.replace(/\/+$/, ''));
    return new RegExp(source, 'is');
  });
  if (expressions.length === 0) return () => false;
  return (path) => {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    const places = names.map((_, at) => names.slice(0, at + 1).join('/'));
    return places.some((place) => expressions.some((expression) => expression.test(place)));
  };
}

/**
 * The same for a folder beside the workspace, absolute: a glob is about any place in it, wherever the folder begins. Of
 * `/a/secrets` named as the folder itself all is what `secrets` is about.
 */
export function neverSentBeside(folder: string, isNeverSent: NeverSent): NeverSent {
  return (path) => {
    const names = `${folder}/${path}`.split('/').filter((name) => name !== '' && name !== '.');
    return names.some((_, at) => isNeverSent(names.slice(at).join('/')));
  };
}

/** What the worker is told in the place of such a file. */
export function neverSentText(path: string): string {
  return `${path} is never sent to a model: the user has set it so (neverSend). Do without its content, or ask`;
}
