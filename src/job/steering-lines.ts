/** Files of which single lines decide whether tests run, or what they run in. */
const STEERING_LINES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /(^|\/)pom\.xml$/,
    /skipTests|maven\.test\.|testFailureIgnore|skipITs|failIfNoTests|<(test)?[eE]xcludes?>|<groups>/,
  ],
  [
    /\.gradle(\.kts)?$/,
    /ignoreFailures|enabled\s*=\s*false|isEnabled|onlyIf|exclude\b|failOnNoMatching|-x\b/,
  ],
  [/(^|\/)gradle\.properties$/, /skip|test/i],
  [
    /(^|\/)vite\.config\.[cm]?[jt]s$/,
    /\btest\s*[:(]|setupFiles|globalSetup|passWithNoTests|alias|exclude|include|reporters|plugins/,
  ],
  [/(^|\/)(babel\.config\.[cm]?[jt]s(on)?|\.babelrc(\..+)?|\.swcrc)$/, /./],
  [/(^|\/)go\.(mod|work)$/, /^\s*replace\b|=>/],
  [/(^|\/)\.npmrc$/, /script-shell|node-options|ignore-scripts|shell/],
  [/(^|\/)\.yarnrc(\.yml)?$/, /yarn-?path|plugins|script-shell|nodeOptions/i],
  [
    /(^|\/)\.env(\.[\w.-]+)?$/,
    /NODE_OPTIONS|NODE_PATH|PYTEST|PYTHON|VITEST|JEST|MOCHA|RUBYOPT|PERL5OPT|GOFLAGS|BASH_ENV|^\s*(export\s+)?(CI|PATH)\s*=/,
  ],
  [/(^|\/)deno\.jsonc?$/, /"(test|tasks|imports|exclude)"/],
  [/(^|\/)(Rakefile|setup\.py)$/, /test|spec/i],
  [/(^|\/)CMakeLists\.txt$/, /add_test|enable_testing|WILL_FAIL|set_tests_properties|CTEST/i],
  [/(^|\/)meson\.build$/, /\btest\s*\(|should_fail/],
  [/(^|\/)(justfile|Taskfile\.ya?ml)$/i, /test|check/i],
];

/** Where these are set up, any line of the file may be a part of it. */
const WHOLE: readonly (readonly [RegExp, RegExp])[] = [[/(^|\/)vite\.config\.[cm]?[jt]s$/, /\btest\s*[:(]/]];

export function hasSteeringLines(path: string): boolean {
  return STEERING_LINES.some(([file]) => file.test(path));
}

/** Do the lines of this file that steer a runner differ? null stands for a file that is not there. */
export function steersOtherwise(path: string, base: string | null, work: string | null): boolean {
  const lines = STEERING_LINES.find(([file]) => file.test(path))?.[1];
  if (lines === undefined) return false;
  const whole = WHOLE.find(([file]) => file.test(path))?.[1];
  if ([base, work].some((text) => whole?.test(text ?? ''))) return base !== work;
  const steering = (text: string | null): string =>
    (text ?? '')
      .split('\n')
      .filter((line) => lines.test(line))
      .map((line) => line.trim())
      .sort()
      .join('\n');
  return steering(base) !== steering(work);
}
