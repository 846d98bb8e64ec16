/**
 * Paths that decide what runs on the user's machine or what git does there: continuous integration, hooks, the
 * agent's own instructions, editor tasks, git's attributes and submodules, package scripts and registries.
 */
const FOLDERS: ReadonlySet<string> = new Set([
  '.github',
  '.gitlab',
  '.circleci',
  '.buildkite',
  '.husky',
  '.githooks',
  '.claude',
  '.claude-plugin',
  '.cursor',
  '.codex',
  '.vscode',
  '.idea',
  '.devcontainer',
]);

const FILES: ReadonlySet<string> = new Set([
  'claude.md',
  'claude.local.md',
  'agents.md',
  '.mcp.json',
  '.gitattributes',
  '.gitmodules',
  '.gitconfig',
  '.gitlab-ci.yml',
  '.travis.yml',
  'azure-pipelines.yml',
  'jenkinsfile',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  'cc-delegate.yaml',
]);

/**
 * May a change of this path (relative, slashes) run code or change what tools are told before anybody
 * has read it? At any depth, and whatever its case, as file systems may not tell the cases apart.
 */
export function isControlPlane(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  return parts.some((part) => FOLDERS.has(part)) || FILES.has(parts.at(-1) ?? '');
}
