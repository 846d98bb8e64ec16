/** Is a path, relative to the repository's root, at or below one of the folders a job was set to? No folder sets nothing. */
export function isInScope(path: string, scope: readonly string[]): boolean {
  if (scope.length === 0) return true;
  return scope.some((folder) => folder === '' || path === folder || path.startsWith(`${folder}/`));
}
