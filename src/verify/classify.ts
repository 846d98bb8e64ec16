import { explainTimeout } from '../job/explain-timeout.ts';
import { trimLine, withoutColours } from '../job/format.ts';
import type { PreflightVerdict } from '../job/record.ts';
import { tellsOfTests } from '../job/tests-ran.ts';
import type { CommandEnd } from './run-command.ts';

export interface SeenRun {
  readonly ended: CommandEnd;
  readonly exitCode: number | null;
  readonly output: string;
}

export interface Classified {
  readonly verdict: PreflightVerdict;
  /** One line for people. */
  readonly note: string;
}

/**
 * What the test command on the untouched base says: do the tests pass, do they fail, or do they not even run?
 * A worker cannot mend a runner that is broken, so that costs no model call; a failing test is ordinary.
 * In doubt it is `fails`: a missing file or module of the project may be just what the task will bring.
 */
export function classify({ ended, exitCode, output }: SeenRun): Classified {
  const text = withoutColours(output);
  if (ended === 'timeout') {
    const why = explainTimeout(text);
    const note = 'the test command did not end within its limit on the base';
    return { verdict: 'timed_out', note: why === null ? note : `${note}: ${why}` };
  }
  if (ended === 'exit' && exitCode === 0) {
    return { verdict: 'passes', note: 'the test command passes on the base' };
  }
  if (ended === 'not_started')
    return broken(exitCode === 126 ? 'may not be executed' : 'was not found', text);
  if (ended === 'signal') return { verdict: 'fails', note: 'the test command was ended by a signal' };
  const sign = tellsOfTests(text) ? undefined : BROKEN.find(([pattern]) => pattern.test(text));
  if (sign !== undefined) return broken(sign[1], text, sign[0]);
  return { verdict: 'fails', note: `the test command fails on the base with exit code ${exitCode}` };
}

function broken(why: string, output: string, pattern?: RegExp): Classified {
  const found = pattern?.exec(output)?.[0].trim().split('\n')[0] ?? output.trim().split('\n').at(-1) ?? '';
  const quoted = trimLine(found, MOST_QUOTED);
  const note = `the test command cannot run: ${pattern === undefined ? `a command ${why}` : why}`;
  return { verdict: 'runner_broken', note: quoted === '' ? note : `${note} (${quoted})` };
}

const MOST_QUOTED = 200;

/** What tools print when they cannot even begin; one line of the tool's own, and what it means. */
const BROKEN: readonly (readonly [RegExp, string])[] = [
  // npm, pnpm, yarn
  [/^npm (?:ERR!|error) Missing script:.*/m, 'the script is missing'],
  [/^.*ERR_PNPM_NO_SCRIPT.*/m, 'the script is missing'],
  [/^error Command ".*" not found\./m, 'the script is missing'],
  [/^Error: no test specified$/m, 'package.json has no test script'],
  [/^npm (?:ERR!|error) (?:enoent )?Could not read package\.json.*/im, 'there is no package.json'],
  [/^npm (?:ERR!|error) could not determine executable to run/m, 'the program is not installed'],
  [/^npm (?:ERR!|error) code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENOTCACHED)/m, 'npm wants the network'],
  // node, vitest, jest
  [/^.*Cannot find (?:module|package) '(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*'.*/m, 'a package is not installed'],
  [
    /^Error: Cannot find module '\/.*'\n[\s\S]*code: 'MODULE_NOT_FOUND',\n {2}requireStack: \[\]/m,
    'the file is missing',
  ],
  [/^\S*node: bad option: .*/m, 'an option is unknown'],
  [/^.*CACError: (?:Unknown option|Unused args).*/m, 'an option is unknown'],
  [/^● Unrecognized CLI Parameters?:/m, 'an option is unknown'],
  [/^● Validation Error:/m, 'the configuration is not valid'],
  [/^.*\bfailed to load config from .*/m, 'the configuration cannot be loaded'],
  // python
  [/^\S*python[\d.]*: No module named .*/m, 'the module is not installed'],
  [/^\S*python[\d.]*: can't open file .*/m, 'the file is missing'],
  [/^\S+: error: unrecognized arguments:.*/m, 'an option is unknown'],
  [/^ERROR: file or directory not found: .*/m, 'the file is missing'],
  [/^pyenv: .*: command not found/m, 'the program is not installed'],
  // go
  [/^.*: no required module provides package (?!\.).*/m, 'a package is missing'],
  [/^go: (?:go\.mod file not found|cannot find main module).*/m, 'there is no go.mod'],
  [/^flag provided but not defined: .*/m, 'an option is unknown'],
  [/^go: .*: (?:dial tcp|module lookup disabled).*/m, 'go wants the network'],
  // cargo
  [/^error: no such (?:sub)?command: .*/m, 'the command is not installed'],
  [/^error: could not find `Cargo\.toml`.*/m, 'there is no Cargo.toml'],
  [/^error: unexpected argument .*/m, 'an option is unknown'],
  [
    /^error: (?:failed to get|no matching package|failed to download|unable to update) .*/m,
    'a crate is missing',
  ],
  [/^error: toolchain '.*' is not installed.*/m, 'the toolchain is not installed'],
  // make
  [/^g?make(?:\[\d+\])?: \*\*\* No rule to make target '[^']*'\.\s+Stop\./m, 'the target is missing'],
  [/^g?make(?:\[\d+\])?: \*\*\* No targets specified and no makefile found\..*/m, 'there is no makefile'],
  [/^g?make(?:\[\d+\])?: \*\*\* \[.*\] Error 12[67]$/m, 'a command of the makefile was not found'],
  // maven, gradle
  [/^\[ERROR\] .*there is no POM in this directory.*/m, 'there is no pom.xml'],
  [/^\[ERROR\] Unknown lifecycle phase .*/m, 'the phase is unknown'],
  [
    /^\[ERROR\] .*(?:Could not resolve dependencies|could not be resolved|No compiler is provided).*/m,
    'a dependency is missing',
  ],
  [/^Unable to parse command line options: .*/m, 'an option is unknown'],
  [/^Task '.*' not found in .*/m, 'the task is missing'],
  // bash itself
  [/^\S*bash: (?:-c: )?line \d+: (?:syntax error|unexpected EOF).*/m, 'the command is not valid for bash'],
  [/^\S*bash: line \d+: cd: .*: No such file or directory$/m, 'the folder is missing'],
];
