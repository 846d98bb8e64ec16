/**
 * Keys of git's configuration whose value is run as a program, is read as more configuration, or sends
 * what the user pushes elsewhere (git-config(1)). Lower case; `*` stands for any middle part.
 */
const KEYS: readonly string[] = [
  'alias.*',
  'browser.*.cmd',
  'browser.*.path',
  'core.alternaterefscommand',
  'core.askpass',
  'core.attributesfile',
  'core.editor',
  'core.fsmonitor',
  'core.gitproxy',
  'core.hookspath',
  'core.pager',
  'core.sshcommand',
  'core.worktree',
  'credential.helper',
  'credential.*.helper',
  'diff.external',
  'diff.*.command',
  'diff.*.textconv',
  'difftool.*',
  'extensions.*',
  'filter.*.clean',
  'filter.*.process',
  'filter.*.smudge',
  'gpg.program',
  'gpg.*',
  'guitool.*.cmd',
  'hook.*',
  'include.path',
  'includeif.*.path',
  'init.templatedir',
  'interactive.difffilter',
  'man.*',
  'merge.*.driver',
  'mergetool.*',
  'pager.*',
  'protocol.*',
  'remote.*.pushurl',
  'remote.*.receivepack',
  'remote.*.uploadpack',
  'remote.*.vcs',
  'sendemail.*',
  'sequence.editor',
  'submodule.*.update',
  'tar.*.command',
  'trailer.*',
  'uploadpack.packobjectshook',
  'url.*.insteadof',
  'url.*.pushinsteadof',
];

const PATTERNS: readonly RegExp[] = KEYS.map(
  (key) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's'),
);

/** `key` as `git config --list` prints it: section and name in lower case. */
export function changesWhatRuns(key: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(key.toLowerCase()));
}
