import { bare, readersOfPipes } from './command-words.ts';

/**
 * The first command of a test's shell text that may stop reading a pipe before its writer is done, or null. The
 * writer then ends by the closed pipe (141 for most programs, 1 for Node, 120 for Python), or not, as time has
 * it; and since a pipe here is as good as all of its parts, so does the test.
 */
export function stopsReading(command: string): string | null {
  const reader = readersOfPipes(command).find((words) => {
    const [name = '', ...rest] = bare(words);
    return name === 'head' || (/^[ef]?grep$/.test(name) && rest.some((word) => STOPS.test(word)));
  });
  return reader === undefined ? null : bare(reader).join(' ');
}

/** Options of grep that end it at a match: alone, or among other letters. */
const STOPS = /^(-[a-zA-Z]*[qlLm][a-zA-Z\d]*|--quiet|--silent|--max-count.*|--files-with(out)?-match(es)?)$/;
