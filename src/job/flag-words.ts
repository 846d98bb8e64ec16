import type { ResultFlag } from './record.ts';

/** What a flag of a result means to whoever reviews it. Total: a new flag without words does not compile. */
const RESULT_WORDS: Record<ResultFlag, string> = {
  unproven: 'no test command judged it',
  unsandboxed: 'its commands could reach what the user can',
  flaky: 'the tests did not always say the same',
  no_tests_seen: 'the output told of tests before the work, and of none after it',
  test_edits: 'the worker changed what the test command runs',
  control_plane: 'it changes what runs by itself, or what tools are told',
  commits_not_in_tree: 'the worker made commits whose changes are not in the result',
  ignored_files: 'files git ignores were changed and are not in the patch',
  large_files: 'large files were left out',
  no_tool_calls: 'the worker used no tool at all',
  moved_head: 'the worker moved its HEAD',
  secret_like: 'it adds what looks like a secret',
  out_of_scope: 'it changes paths outside of the scope that was set',
};

/** The same for the flags of one file. */
const FILE_WORDS: Readonly<Record<string, string>> = {
  test_edit: 'the test command runs it, or it was a test before',
  control_plane: 'runs by itself, or tells tools what to do',
  link_outside: 'a link that leads out of the repository',
  mode_changed: 'its mode was changed',
  out_of_scope: 'outside of the scope that was set',
};

export function flagWords(flag: ResultFlag): string {
  return RESULT_WORDS[flag];
}

/** The flag itself where there are no words for it. */
export function fileFlagWords(flag: string): string {
  return Object.hasOwn(FILE_WORDS, flag) ? (FILE_WORDS[flag] ?? flag) : flag;
}
