import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { FAILED_REASONS, TERMINAL_STATES, TIMEOUT_REASONS } from '../src/job/states.ts';
import { transitionTable } from '../src/job/transition.ts';

const target = fileURLToPath(new URL('../docs/state-machine.md', import.meta.url));

/** The page that shows the transition table; a test holds it equal to the table. */
export function stateMachinePage(): string {
  return `# The state machine

Made by \`npm run docs\` from \`src/job/transition.ts\`, which is the one table; a test compares.

A row is where a job is, a column where it may go. An empty cell is forbidden. ${TERMINAL_STATES.join(', ')} are
final. What happens to the work afterwards (applied, discarded) is another field.

${transitionTable()}

Reasons of \`failed\`: ${FAILED_REASONS.join(', ')}.
Reasons of \`timeout\`: ${TIMEOUT_REASONS.join(', ')}.
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(target, stateMachinePage());
