import { isControlPlane } from './control-plane.ts';
import type { ReceiptFile } from './receipt.ts';
import { isTestFile } from './test-files.ts';

/** Why a file is looked at early, or hardly at all; in the order of looking. */
export const RISKS = [
  'control_plane',
  'secret_like',
  'tests',
  'dependencies',
  'out_of_scope',
  'special',
  'big',
  'plain',
  'folded',
] as const;
export type Risk = (typeof RISKS)[number];

const WORDS: Record<Risk, string> = {
  control_plane: 'runs by itself, or tells tools what to do',
  secret_like: 'holds what looks like a secret',
  tests: 'a test that was there is changed or deleted',
  dependencies: 'what the project depends on',
  out_of_scope: 'outside of the scope that was set',
  special: 'a link, a mode, or another type of file',
  big: 'a big change',
  plain: '',
  folded: 'a lock file, or generated',
};

export function riskWords(risk: Risk): string {
  return WORDS[risk];
}

const MANIFESTS =
  /^(package\.json|pyproject\.toml|setup\.(py|cfg)|requirements.*\.(txt|in)|pipfile|environment\.ya?ml|cargo\.toml|go\.mod|gemfile|.*\.gemspec|composer\.json|pom\.xml|build\.gradle(\.kts)?|libs\.versions\.toml|.*\.(cs|fs|vb)proj|directory\.packages\.props|packages\.config|package\.swift|podfile|pubspec\.yaml|mix\.exs|deno\.jsonc?|cmakelists\.txt|conanfile\.(py|txt)|vcpkg\.json)$/;
const LOCKS =
  /^(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|go\.sum|packages\.lock\.json|package\.resolved|podfile\.lock|pubspec\.lock|mix\.lock|deno\.lock|gradle\.lockfile|flake\.lock)$/;
const GENERATED =
  /(^|\/)(dist|build|out|vendor|node_modules|__generated__|generated)\/|\.min\.(js|css)$|\.(js|css)\.map$|\.pb\.(go|cc|h)$|_pb2(_grpc)?\.pyi?$|\.(generated|designer|g)\.[a-z]+$|\.snap$/;

const BIG_LINES = 300;

/**
 * What a reviewer should know before reading this file. `notes` are the receipt's: they name files with what looks
 * like a secret. A lock file is flagged as control plane too, and is folded all the same: nobody reads one.
 */
export function riskOf(file: ReceiptFile, notes: readonly string[] = []): Risk {
  const path = file.path.toLowerCase();
  const name = path.split('/').at(-1) ?? '';
  const has = (flag: string): boolean => file.flags.includes(flag);
  if (LOCKS.test(name)) return 'folded';
  if (has('control_plane') || has('link_outside') || isControlPlane(path)) return 'control_plane';
  if (notes.some((note) => note.startsWith('looks like a secret') && note.endsWith(`: ${file.path}`)))
    return 'secret_like';
  if (has('test_edit') || (isTestFile(file.path) && file.status === 'D')) return 'tests';
  if (MANIFESTS.test(name)) return 'dependencies';
  if (has('out_of_scope')) return 'out_of_scope';
  if (has('mode_changed') || file.status === 'T') return 'special';
  if (GENERATED.test(path)) return 'folded';
  return file.binary || file.insertions + file.deletions > BIG_LINES ? 'big' : 'plain';
}

/** The same files, risky ones first; equal ones stay in their order. */
export function byRisk<File extends ReceiptFile>(
  files: readonly File[],
  notes: readonly string[] = [],
): { readonly file: File; readonly risk: Risk }[] {
  return files
    .map((file) => ({ file, risk: riskOf(file, notes) }))
    .sort((a, b) => RISKS.indexOf(a.risk) - RISKS.indexOf(b.risk));
}
